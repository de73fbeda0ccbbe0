"""Reviews: the queue, the review card with its proposal, several approvals at once, assignment."""
