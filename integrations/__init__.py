"""Adapters: one folder for each kind of outside service, known to `wiring` alone."""
