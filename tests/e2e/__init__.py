"""The product as people meet it: real servers, real Chromium."""
