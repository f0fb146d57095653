"""How far attacks on memory come, with none of the defences, and with one more at a time."""
