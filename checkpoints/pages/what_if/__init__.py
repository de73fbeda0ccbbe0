"""What recorded executions would have done with another document."""
