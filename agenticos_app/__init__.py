"""AgenticOS: an agent is data, one runner executes it, every surface is a door to that runner."""
