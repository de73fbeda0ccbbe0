"""Pages that change a conversation: operations, their preview, rollback, pins, erasure."""
