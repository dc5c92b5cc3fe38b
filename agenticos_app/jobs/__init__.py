"""Work that no request waits for: the run host and the sweeps."""
