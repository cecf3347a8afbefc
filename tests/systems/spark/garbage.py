"""Stands between a driver and its agent, and spoils what the agent says."""

import random
import socket
import threading

GREETING = 64  # bytes, of ZMTP 3
MORE, LONG, COMMAND = 1, 2, 4  # flags of a frame
SOUND = 3  # messages at the beginning of each connection
NOISE, CUT, FIGURES = range(3)  # what becomes of a message


class Garbage:
    """Part of the messages of an agent to a driver arrive spoilt: their last frame as noise, cut
    off, or with other figures at its end, where a decision has its last grant. `spoilt` counts
    them."""

    def __init__(self, endpoint, kinds=(NOISE, CUT, FIGURES), part=0.5):
        self.kinds, self.part = kinds, part
        self.agent = endpoint.removeprefix("tcp://").rsplit(":", 1)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self.server.getsockname()[1]}"
        self.random = random.Random(1)
        self.spoilt = 0
        self.begin(self.accept)

    def close(self):
        self.server.close()

    @staticmethod
    def begin(function, *arguments):
        def body():
            try:
                function(*arguments)
            except OSError:
                pass  # one side has gone
            finally:
                for one in arguments:
                    one.close()

        threading.Thread(target=body, daemon=True).start()

    def accept(self):
        while True:
            driver, _ = self.server.accept()
            agent = socket.create_connection((self.agent[0], int(self.agent[1])))
            self.begin(self.pass_on, driver, agent)
            self.begin(self.spoil, agent, driver)

    @staticmethod
    def pass_on(source, target):
        while some := source.recv(65536):
            target.sendall(some)

    def spoil(self, source, target):
        left = GREETING  # the sides wait for parts of it
        while left > 0:
            some = source.recv(left)
            if not some:
                return
            target.sendall(some)
            left -= len(some)
        messages = 0
        with source.makefile("rb") as reader:
            while head := reader.read(1):
                size = int.from_bytes(reader.read(8 if head[0] & LONG else 1), "big")
                body = reader.read(size)
                if not head[0] & (COMMAND | MORE):
                    messages += 1
                    if messages > SOUND and self.random.random() < self.part:
                        body = self.spoiled(body)
                target.sendall(
                    bytes([head[0] | LONG]) + len(body).to_bytes(8, "big") + body)  # fmt: skip

    def spoiled(self, body):
        self.spoilt += 1
        kind = self.random.choice(self.kinds)
        if kind == NOISE:
            return self.random.randbytes(len(body))
        if kind == CUT:
            return body[: self.random.randrange(len(body))]
        return body[:-8] + self.random.randbytes(8)
