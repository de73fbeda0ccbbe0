"""What waits for a person: the queue, the review card, and the buttons that decide."""
