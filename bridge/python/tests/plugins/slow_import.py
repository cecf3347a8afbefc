"""A module that is not imported in time."""

import time

print("reading a large file")
time.sleep(100)
