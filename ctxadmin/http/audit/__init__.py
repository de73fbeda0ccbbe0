"""The audit over REST: entries by filters, and exports."""
