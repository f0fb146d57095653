"""How often the pure relation gives the answer of the table of relations."""
