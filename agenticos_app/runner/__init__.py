"""Turns a spec into an agent and executes it. Knows no database: it is handed ports."""
