"""How a request reaches a service over HTTP: the tries of one call, and the door to the network."""
