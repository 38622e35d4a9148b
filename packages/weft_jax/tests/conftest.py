"""`two_processes.py` is a script for the launcher, and no module with tests."""

collect_ignore = ["two_processes.py"]
