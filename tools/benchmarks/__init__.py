"""What voiced costs, one module a question; each prints how it was measured."""
