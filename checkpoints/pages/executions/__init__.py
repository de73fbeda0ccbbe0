"""One execution and the list: its page and buttons, versions, canvas, comments, restore, fork."""
