"""Many gateways, mixed load and faults against a driver that keeps its own account of it all."""
