"""Capabilities: one folder for each, known to `wiring` alone."""
