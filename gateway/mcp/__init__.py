"""One edge of the gateway."""
