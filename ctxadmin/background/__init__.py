"""Jobs in the background of a server, each worked on by one process at a time under a lease."""
