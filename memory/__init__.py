"""What a memory is: nouns, text signals, ranking and assembly. Pure; no I/O."""
