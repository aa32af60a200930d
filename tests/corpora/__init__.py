"""Tests of the reading of pairs."""
