"""The Builder's sections."""
