"""Routes by area: one line of body each."""
