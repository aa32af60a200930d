"""The pictures of a report as inline SVG, each with its numbers; the only door to matplotlib."""
