"""Servers that say what cannot be: each is one ParkError that names it.

The server speaks ZMTP by hand. What it says are the messages of bridge/conformance/vectors, with a
few bytes changed.
"""

import contextlib
import socket
import struct
import threading
import time

import pytest

import park_sdk
from conftest import ROOT

VECTORS = ROOT / "bridge/conformance/vectors"
FIRST = b"PKB\x01\0\0\0\0"
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\0" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = b"\x05READY\x0bSocket-Type" + struct.pack(">I", 6) + b"ROUTER"
HELLO, OPEN_STREAM = 0, 8  # of the union of Envelope
# Where the fields of Envelope are: behind the table of one segment and the pointer to the root.
SEQUENCE, KIND, SESSION, UNION = 16, 28, 32, 40


def vector(name, sequence):
    frame = bytearray((VECTORS / name).read_bytes())
    frame[SEQUENCE : SEQUENCE + 8] = struct.pack("<Q", sequence)
    return frame


def received(peer, size):
    data = b""
    while len(data) < size:
        part = peer.recv(size - len(data))
        if not part:
            raise ConnectionError
        data += part
    return data


def sent(peer, flags, body):
    peer.sendall(struct.pack(">BQ", flags | 2, len(body)) + body)


def received_frame(peer):
    """Its flags (1: more follow, 4: a command) and its bytes."""
    flags = received(peer, 1)[0]
    size = struct.unpack(">Q", received(peer, 8))[0] if flags & 2 else received(peer, 1)[0]
    return flags, received(peer, size)


def answer(peer, answers):
    """Answers what a client says by its kind, until it is gone."""
    with contextlib.suppress(OSError), peer:
        peer.sendall(GREETING)
        received(peer, len(GREETING))
        sent(peer, 4, READY)
        while True:
            flags, body = received_frame(peer)
            last = not flags & 5  # the second frame of a message
            reply = answers.get(struct.unpack_from("<H", body, KIND)[0]) if last else None
            if reply is not None:
                sent(peer, 1, FIRST)
                sent(peer, 0, bytes(reply))


@contextlib.contextmanager
def hostile(**answers):
    """The endpoint of a server that says `hello` and `open_stream`."""
    replies = {HELLO: answers.get("hello", vector("welcome.bin", 0)),
               OPEN_STREAM: answers.get("open_stream")}
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def accept():
            with contextlib.suppress(OSError):
                while True:
                    peer = listener.accept()[0]
                    threading.Thread(target=answer, args=(peer, replies), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"tcp://127.0.0.1:{listener.getsockname()[1]}"


def said_of(endpoint, slots=1, timeout_s=20):
    """What opening a stream of it says, long before the deadline."""
    episodes = park_sdk.Episodes.of_run(seed=1, count=4)
    begin = time.monotonic()
    with pytest.raises(park_sdk.ParkError) as error:
        park_sdk.Stream("", episodes, endpoint=endpoint, slots=slots, timeout_s=timeout_s).recv()
    assert time.monotonic() - begin < timeout_s / 2
    return str(error.value)


def test_a_limit_of_0_is_named():
    welcome = vector("welcome.bin", 0)
    window_and_lease = struct.pack("<II", 8, 30_000)
    assert welcome.count(window_and_lease) == 1
    for name, changed in (("window", struct.pack("<II", 0, 30_000)),
                          ("leaseMs", struct.pack("<II", 8, 0))):
        with hostile(hello=welcome.replace(window_and_lease, changed)) as endpoint:
            assert f"welcome: {name}" in said_of(endpoint)


def failure(session, sequence, code, text):
    """failure_text.bin with another code, and two of its characters changed."""
    frame = vector("failure_text.bin", sequence)
    if not session:
        frame[SESSION : SESSION + 8] = bytes(8)  # a null pointer
    pointer = struct.unpack_from("<i", frame, UNION)[0]
    struct.pack_into("<H", frame, UNION + 8 + 8 * (pointer >> 2), code)
    assert frame.count("ä".encode()) == 1
    return frame.replace("ä".encode(), text)


def test_a_hello_that_the_server_cannot_read_ends_the_call():
    with hostile(hello=failure(session=False, sequence=0, code=1, text=b"!!")) as endpoint:
        assert "servers: \"0\" is not allowed" in said_of(endpoint)


def test_texts_of_a_server_are_shown_without_control_characters():
    reply = failure(session=True, sequence=1, code=8, text=b"\x1b\x07")
    with hostile(open_stream=reply) as endpoint:
        said = said_of(endpoint)
    assert "is none, \\x1b\\x07" in said
    assert "\x1b" not in said and "\x07" not in said


def test_episodes_that_were_not_given_are_told():
    with hostile(open_stream=vector("stream_opened.bin", 1)) as endpoint:
        assert "begun: slot" in said_of(endpoint, slots=2)
