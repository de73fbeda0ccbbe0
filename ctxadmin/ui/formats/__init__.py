"""How numbers are written where Django's own formats say it otherwise than browsers do."""
