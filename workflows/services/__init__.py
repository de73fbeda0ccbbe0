"""The use cases that change a workflow, and the reading of files into one."""
