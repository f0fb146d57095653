"""The only doors to memory: remember, recall, forget, confirm, review."""
