"""Charts as images, for places that cannot draw them."""
