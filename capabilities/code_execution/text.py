"""Every word of this capability that a model reads."""

from agenticos_app.contracts.tool_text import tool_text

RUN_PYTHON = tool_text(
    """\
Run a small Python program to compute something: arithmetic, dates, statistics, \
sorting or reshaping text and data.

Use it whenever a result must be exact instead of working it out in prose. The program stands alone: no \
files, no network, nothing is kept between calls, so put the data into the program. It shows its result by \
print() or by its last expression.

It is a subset of Python: functions, closures, simple classes, dataclasses, comprehensions, match, try and \
async work; class inheritance, generators with yield, and del do not. Modules that can be imported: \
asyncio, base64, binascii, collections, copy, csv, dataclasses, datetime, decimal, functools, hashlib, \
itertools, json, math, os, pathlib, random, re, sys, time, typing, unicodedata. No others, so no \
statistics, string, numpy or pandas; os and pathlib reach no files.""",
    returns="""\
What the program printed, then a line "Value: ..." when its last expression has one; at most \
8,000 characters, and a cut is stated. An error in the program comes back with what was wrong, to be \
corrected. A program that needs too much time or memory is stopped, and the result says so.""",
)

ARGUMENT_CODE = "The whole program."

NO_OUTPUT = "The program ended well but showed nothing. Print the result, or make it the last expression."
VALUE = "Value: {value}"
CUT = "[{left} more characters not shown]"
STOPPED_TIME = (
    "The program was stopped after {seconds:g} seconds, the limit of this agent. {so_far}"
    "Use a shorter way to compute this, or tell the person that it takes too long."
)
STOPPED_MEMORY = (
    "The program was stopped because it needed more than {megabytes} MB of memory, the limit of this agent. "
    "{so_far}Use less data at once, or tell the person that it is too large."
)
STOPPED_OUTPUT = "[The program was stopped here because it printed too much. Print less.]"
SO_FAR = "Printed until then: {printed} "
RETRY = (
    "The program failed: {error}\n"
    "Correct it and call run_python again with the whole program in `code`, for example "
    'run_python(code="total = sum([3, 4, 5])\\nprint(total)"). {hint}'
)
HINTS = {
    "ModuleNotFoundError": "Import only the modules that the description of this tool lists.",
    "ImportError": "Import only the modules that the description of this tool lists.",
    "NameError": "Define every name in the same program: nothing is kept from earlier calls.",
    "PermissionError": "Files and network cannot be reached: put the data into the program.",
    "SyntaxError": "Only a subset of Python works: no class inheritance, no yield, no del.",
    "NotImplementedError": "Only a subset of Python works: no class inheritance, no yield, no del.",
}
EMPTY = "The program is empty."
