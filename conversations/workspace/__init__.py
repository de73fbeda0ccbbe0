"""What concerns all conversations of a workspace: their list, feed and prices."""
