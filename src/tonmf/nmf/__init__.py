"""TONMF: everything that sees X, H and W."""
