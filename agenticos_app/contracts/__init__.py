"""Protocols and plain data between the run path, the capabilities and the outside."""
