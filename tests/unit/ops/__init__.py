"""Setting up and starting, without a database."""
