"""The paper's experiments, each a small specification; ``tonmf paper`` runs them and writes the page."""
