"""One pure module a wire format: a request becomes a body, a body becomes a reply."""
