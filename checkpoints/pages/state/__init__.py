"""What pages show of a state: its keys and values, how two states differ."""
