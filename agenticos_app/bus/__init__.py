"""What processes tell each other: run events, signals, rate counters. Redis, or this process alone."""
