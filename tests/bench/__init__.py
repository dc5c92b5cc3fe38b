"""The figures that the project promises, one script each: `python -m tests.bench.overhead` prints one line.

They start everything that they need, on ports and in folders of their own. Ratios are taken within one run,
so that a busy machine slows both sides; repeat three times and take the median.
"""
