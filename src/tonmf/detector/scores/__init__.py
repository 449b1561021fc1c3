"""From counted documents to scores."""
