"""Changes as events and frames, for engines, readers of the feed, and open pages."""
