"""The organization's settings and members."""
