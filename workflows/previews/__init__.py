"""What nodes would see: of a stored conversation, or of a context that is given."""
