"""Ends: Ctrl-C, fork, close, the end of the interpreter."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import gymnasium as gym
import pytest

import park_sdk


def run(code, *, interrupt_after=None, timeout=20):
    """A program of its own: its output and how long it took after the interrupt."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        if interrupt_after is not None:
            assert process.stdout.readline() == f"{interrupt_after}\n"
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        out, _ = process.communicate(timeout=timeout)
        return out, process.returncode, time.monotonic() - begin
    finally:
        process.kill()


SLOW = """
    import time, gymnasium as gym, numpy as np, park_sdk
    class Slow(gym.Env):
        observation_space = gym.spaces.Box(0, 1, (1,))
        action_space = gym.spaces.Discrete(2)
        def reset(self, *, seed=None, options=None):
            return np.zeros(1, np.float32), {}
        def step(self, action):
            time.sleep(4)
            return np.zeros(1, np.float32), 0.0, False, False, {}
    server = park_sdk.serve_env(Slow, name="slow")
    stream = park_sdk.Stream("", park_sdk.Episodes.of_run(), endpoint=server.endpoint)
    stream.recv()
"""


@pytest.mark.parametrize(
    "wait",
    [
        "stream.send([0]); print('waits', flush=True); stream.recv()",
        "print('waits', flush=True); server.wait()",
        "print('waits', flush=True);"
        " park_sdk.ParkEnv('load_balance', endpoint='tcp://127.0.0.1:9', timeout_s=15)",
    ],
)
def test_ctrl_c_ends_a_wait(wait):
    code = textwrap.dedent(SLOW) + (
        f"try:\n    {wait}\nexcept KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
        "import os; os._exit(3)\n"
    )
    out, status, took = run(code, interrupt_after="waits")
    assert out == "interrupted\n" and status == 3
    assert took < 3


def test_the_interpreter_ends_without_close():
    out, status, took = run(
        """
        import park_sdk
        server = park_sdk.serve("load_balance")
        env = park_sdk.ParkEnv("load_balance", endpoint=server.endpoint)
        envs = park_sdk.ParkVectorEnv("load_balance", 4, workers=2)
        lone = park_sdk.serve("load_balance")
        env.reset(seed=1)
        envs.reset(seed=1)
        print("end")
        """
    )
    assert (out, status) == ("end\n", 0)
    assert took < 15


def test_a_client_stays_in_its_process(endpoint):
    env = park_sdk.ParkEnv("load_balance", endpoint=endpoint)
    env.reset(seed=1)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            env.step(0)
            os.write(write, b"no error")
        except park_sdk.ParkError as error:
            os.write(write, str(error).encode())
        env.close()  # does nothing to the parent's
        del env
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert b"opened in another process" in os.read(read, 1000)
    env.step(0)  # the parent's is as it was
    env.close()


def test_two_threads_do_not_share_a_stream():
    stepped = threading.Event()

    class Slow(gym.Env):
        observation_space = gym.spaces.Discrete(2)
        action_space = gym.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            return 0, {}

        def step(self, action):
            time.sleep(0.5)
            return 0, 0.0, True, False, {}

    with park_sdk.serve_env(Slow, name="slow") as server:
        stream = park_sdk.Stream("", park_sdk.Episodes.of_run(count=1), endpoint=server.endpoint)
        stream.recv()
        stream.send([0])
        other = threading.Thread(target=lambda: (stream.recv(), stepped.set()))
        other.start()
        time.sleep(0.1)
        with pytest.raises(park_sdk.ParkError, match="another thread is using it"):
            stream.recv()
        other.join()
        assert stepped.is_set()


def test_closed_things_say_so():
    stream = park_sdk.Stream("load_balance", park_sdk.Episodes.of_run())
    stream.close()
    stream.close()
    with pytest.raises(park_sdk.ParkError, match="is closed"):
        stream.recv()
    server = park_sdk.serve("load_balance")
    server.stop()
    server.stop()


def test_a_server_that_is_gone_is_told_in_time(tmp_path):
    with park_sdk.serve("load_balance") as server:
        env = park_sdk.ParkEnv("load_balance", endpoint=server.endpoint, timeout_s=1)
        env.reset(seed=1)
    begin = time.monotonic()
    with pytest.raises(park_sdk.ParkError) as raised:
        env.step(0)
    assert raised.value.code == "unavailable"
    assert time.monotonic() - begin < 3
