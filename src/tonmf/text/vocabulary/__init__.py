"""The ways to learn a vocabulary."""
