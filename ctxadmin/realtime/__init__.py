"""What tells open pages and waiting calls of a change: sockets that announce and never write."""
