"""Vector index adapters. The only home of qdrant_edge and qdrant_client."""
