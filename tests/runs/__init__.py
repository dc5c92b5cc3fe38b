"""Runs from the question to the stored answer: host, stream, transcript, recovery."""
