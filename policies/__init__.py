"""What is allowed: vocabulary, rules, shipped profiles. Pure, but for reading packaged files."""
