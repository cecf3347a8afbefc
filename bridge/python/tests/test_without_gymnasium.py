"""Without Gymnasium, as on Debian 12: all works that does not speak of its environments."""

import subprocess
import sys

PROGRAM = """
import sys
sys.modules["gymnasium"] = None  # as if it were not there
import park_sdk

spec = park_sdk.spec("load_balance(servers=3,jobs=20)")
policy = park_sdk.Policy("least_work", spec)
stream = park_sdk.Stream("load_balance(servers=3,jobs=20)", park_sdk.Episodes.of_run(count=1))
assert stream.spec.name == "load_balance"
stream.recv()
assert "server" in policy.act(stream)
with park_sdk.serve("load_balance(servers=3)") as server:
    assert server.endpoint
for name in ("ParkEnv", "ParkVectorEnv", "gym_id"):
    try:
        getattr(park_sdk, name)
    except ModuleNotFoundError as missing:
        assert str(missing) == f"park_sdk.{name} needs Gymnasium: pip install gymnasium", missing
    else:
        raise SystemExit(f"{name} is there")
try:
    park_sdk.no_such_name
except AttributeError as wrong:
    assert "no_such_name" in str(wrong)
"""


def test_what_needs_it_says_so_and_the_rest_works():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True,
                          timeout=100)
    assert done.returncode == 0, done.stderr
