"""The use cases that change a conversation: messages, pins, comments, recalls."""
