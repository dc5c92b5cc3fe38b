"""The HTTP and WebSocket doors."""
