"""Agents that answer questions, and the sandbox that decides what they see."""
