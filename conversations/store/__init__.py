"""What is stored of one conversation, as it is read: heads, revisions, messages."""
