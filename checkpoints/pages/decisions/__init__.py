"""Reviews: the queue, the review card, and the buttons that decide."""
