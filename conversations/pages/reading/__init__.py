"""Pages that show a conversation: its list, messages, sections, cards, one message."""
