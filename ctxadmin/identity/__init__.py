"""Who does something, and what they may do: pure rules without a database."""
