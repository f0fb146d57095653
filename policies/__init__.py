"""What is allowed: vocabulary, rules, shipped profiles. Pure; no I/O beyond reading packaged files."""
