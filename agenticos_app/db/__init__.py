"""The database: engine, sessions, unit of work."""
