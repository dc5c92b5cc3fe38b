"""Who reaches one row beyond what their role reaches."""
