"""Actors and roles: pure rules without a database."""
