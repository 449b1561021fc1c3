"""From documents to counts to rows."""
