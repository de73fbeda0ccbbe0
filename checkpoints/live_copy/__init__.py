"""The live copy: what is read most, kept in Redis and checked before it is believed."""
