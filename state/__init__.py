"""Server-side state of the pages, one class per area."""
