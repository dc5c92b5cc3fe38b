"""Setting up, starting, saving: with real programs."""
