"""What follows a run: one look for answers that grow, have ended or are stored."""
