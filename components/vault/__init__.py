"""The vault, and the dialog that every page may keep a new secret with."""
