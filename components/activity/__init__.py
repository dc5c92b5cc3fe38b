"""What ran: the list of runs, and one run with its timeline."""
