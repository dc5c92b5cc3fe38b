"""The `agenticos` command: the second composition root, beside the server."""
