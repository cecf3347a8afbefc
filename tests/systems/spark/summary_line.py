"""What the plugin says in a driver's log when its application ends."""

import re
from typing import NamedTuple

LINE = re.compile(
    r"Park: (\d+) offers decided by the agent, (\d+) by Spark; (\d+) grants of no use, "
    r"(\d+) answers that were none, (\d+) offers without a grant while nothing ran")


class Counts(NamedTuple):
    by_agent: int  # offers
    by_spark: int
    useless: int  # grants
    malformed: int  # answers
    stuck: int  # offers without a grant while nothing ran


def counts(text):
    """Those of a driver's log; none where the plugin was not there until the end."""
    found = LINE.search(text)
    return Counts(*map(int, found.groups())) if found else None
