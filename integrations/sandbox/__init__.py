"""Where programs of a model run."""
