"""What runs in a terminal; the only part of tonmf that prints."""
