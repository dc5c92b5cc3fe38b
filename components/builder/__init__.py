"""The Builder: one agent, its draft and its publication."""
