"""The Builder of agents."""
