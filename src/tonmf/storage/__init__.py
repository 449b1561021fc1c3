"""Our own files: bundles, atomic writes, locks, array files."""
