"""Families of language models."""
