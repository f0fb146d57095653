"""Token buckets: in this process, shared by all replicas, and the one in place of the other."""
