"""What each family of providers says, byte for byte: one module per dialect."""
