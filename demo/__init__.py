"""Demo data and a small reference engine for newcomers."""
