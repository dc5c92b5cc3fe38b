"""What a step shows to the person beside its line."""
