"""How much poison is held, how much honest text with it, and what it costs, beside other guards."""
