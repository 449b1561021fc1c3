"""Measurements of speed and memory, each beside a peer in the same run. ``python -m benchmarks`` runs them all."""
