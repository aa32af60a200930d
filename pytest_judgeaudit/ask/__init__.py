"""How a request reaches a model: one pure module per wire format, and one transport."""
