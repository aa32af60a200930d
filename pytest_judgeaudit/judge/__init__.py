"""How a verdict is obtained and read: prompts, parsers, and the kinds of judges."""
