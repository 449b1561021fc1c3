"""From scores to reasons."""
