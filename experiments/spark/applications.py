"""What comparisons on a real Spark share: what an application depends on, and whether its policy decided."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/systems/spark"), str(ROOT / "experiments")]
import summary_line  # noqa: E402
from park_runs import digest, files_of_policy  # noqa: E402

MOST_BY_SPARK = 0.05  # of the offers; more is no longer a figure of the policy


def digest_of_park(park):
    """With its libraries: networks are in one of them."""
    return digest([park, *sorted((Path(park).parent.parent / "lib").glob("*.so"))])


def circumstances(plugin, park, policy, durations):
    """Digests of what an application depends on beside its texts, so that one of something else is not taken
    for it. Where it has no policy, that is the plug-in alone."""
    found = {"plugin": digest([plugin])}
    if policy is not None:
        found |= {"park": digest_of_park(park), "policy": digest(files_of_policy(str(policy))),
                  "durations": durations and digest([durations])}  # fmt: skip
    return found


def decided(driver):
    """The offers of an ended application that the agent decided, and those that Spark's own order did."""
    counts = summary_line.counts(driver.text())
    if counts is None:  # its figures would be those of plain Spark
        raise SystemExit(f"the plugin was not there until the end:\n{driver.text()[-4000:]}")
    return counts.by_agent, counts.by_spark


def share_by_spark(counts):
    """The part of it in pairs as of decided()."""
    by_agent, by_spark = map(sum, zip(*counts))
    return by_spark / max(1, by_agent + by_spark)


def shares(counts):
    """Of all ways, as a line."""
    found = ", ".join(f"{name} {100 * share_by_spark(some):.1f} %" for name, some in counts.items())
    return f"Offers that Spark's own order decided, because the policy was late or gone: {found}."


def doubts(counts):
    """A line that names the ways whose figures are not of their policy alone, where there are some."""
    names = [name for name, some in counts.items() if share_by_spark(some) > MOST_BY_SPARK]
    return [f"Not figures of the policy: Spark's own order decided more than {100 * MOST_BY_SPARK:g} % of the "
            f"offers of {', '.join(names)}."] if names else []  # fmt: skip
