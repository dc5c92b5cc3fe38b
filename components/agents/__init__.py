"""The catalogue of agents."""
