"""What calls cost, and would cost under a draft, on past conversations."""
