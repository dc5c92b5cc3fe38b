"""What the outside sees: one set of shapes for the API and the screens."""
