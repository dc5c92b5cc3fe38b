"""Setting up, starting, checking, saving: what the commands do before and around the product."""
