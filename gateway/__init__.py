"""The edges: who is asking, and in which language (REST, MCP, command line)."""
