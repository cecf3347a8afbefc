"""Plays a candidate of Python: reads what it needs from descriptor 3, gives up its rights, runs the
candidate's source, and answers rows. The judge starts it; what the candidate does to this module changes
nothing but its own answers."""
import ctypes
import json
import os
import resource
import struct
import sys


def take(count):
    """Reads so many bytes; ends where the judge has gone."""
    parts = []
    while count > 0:
        piece = os.read(3, min(count, 1 << 20))
        if not piece:
            os._exit(0)
        parts.append(piece)
        count -= len(piece)
    return b"".join(parts)


def receive():
    kind, length = struct.unpack("<II", take(8))
    return kind, take(length)


def give(kind, body=b""):
    rest = memoryview(struct.pack("<II", kind, len(body)) + body)
    while rest:
        rest = rest[os.write(3, rest):]


def complaint(error, limit=400):
    """One line: the type, the text, and the line of the candidate."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "candidate.py":
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError):
        line = error.lineno
    try:
        text = str(error)
    except BaseException:
        text = ""
    place = "" if line is None else f" (line {line})"
    return f"{type(error).__name__}: {text[:limit]}{place}".encode("utf-8", "replace")


def confine(rules, memory_bytes, cpu_s):
    """Applies limits and the rules for system calls to this process."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    libc = ctypes.CDLL(None, use_errno=True)

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("rules", ctypes.c_char_p)]

    program = Program(len(rules) // 8, rules)
    no_new_privileges, set_rules, by_filter = 38, 22, 2
    for words in ((no_new_privileges, 1, 0, 0, 0),
                  (set_rules, by_filter, ctypes.byref(program), 0, 0)):
        if libc.prctl(*words) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class Row:
    """A row: row["server.jobs"] is a number, or a list with a value for each element of its group; of a leaf
    with several values, a list of lists."""
    __slots__ = ("_spec", "_columns", "_counts", "_read")

    def __init__(self, spec, columns, counts):
        self._spec, self._columns, self._counts, self._read = spec, columns, counts, {}

    def __getitem__(self, name):
        if name in self._read:
            return self._read[name]
        place = self._spec["place"][name]
        leaf = self._spec["leaves"][place]
        values = self._columns[place].cast(leaf["format"]).tolist()
        width = leaf["width"]
        if leaf["group"] >= 0 and width > 1:
            values = [values[i:i + width] for i in range(0, len(values), width)]
        elif leaf["group"] < 0 and width == 1:
            values = values[0]
        self._read[name] = values
        return values

    def keys(self):
        return list(self._spec["place"])

    def count(self, group):
        return self._counts[self._spec["groups"].index(group)]

    def legal(self, head, chosen=None):
        """The legal values of a discrete head. `chosen` has the values of earlier heads that it depends on."""
        told = self._spec["heads"][self._spec["head_place"][head]]
        element = 0
        if told["given"]:
            element = (chosen or {})[told["given"][0]]
            for leaf in told["given"][1:]:
                element = self[leaf][element]
        if told["range"]:
            low, high = self[head + ".min"], self[head + ".max"]
            if told["range"] == "group":
                low, high = low[element], high[element]
            return list(range(low, high + 1))
        low, high = told["low"], told["high"]
        if told["index_of"]:
            low, high = 0, self.count(told["index_of"]) - 1
        if not told["mask"]:
            return list(range(low, high + 1))
        mask = self["mask." + head]
        if not told["index_of"] and told["mask"] == "group":
            mask = mask[element]
            if not isinstance(mask, list):
                mask = [mask]
        elif not isinstance(mask, list):
            mask = [mask]
        return [low + i for i in range(high - low + 1) if mask[i]]


def read_rows(spec, body):
    """The rows of a message of questions."""
    view, at = memoryview(body), 4
    groups = len(spec["groups"])
    for _ in range(struct.unpack_from("<I", body)[0]):
        counts = struct.unpack_from(f"<{groups}I", body, at)
        at += 4 * groups
        columns = []
        for leaf in spec["leaves"]:
            size = leaf["bytes"] * (1 if leaf["group"] < 0 else counts[leaf["group"]])
            columns.append(view[at:at + size])
            at += size
        yield Row(spec, columns, counts)


def packed(spec, answer):
    """An answer as bytes. A dictionary by head; a tuple or list in their order; or the value of the only one."""
    heads = spec["heads"]
    if isinstance(answer, dict):
        if len(answer) != len(heads):
            raise ValueError(f"decide returns {len(answer)} values for {len(heads)} heads")
        answer = [answer[head["name"]] for head in heads]
    elif len(heads) == 1 and not (isinstance(answer, tuple) and len(answer) == 1):
        answer = [answer]
    if len(answer) != len(heads):
        raise ValueError(f"decide returns {len(answer)} values for {len(heads)} heads")
    parts = [b"\0"]
    for head, value in zip(heads, answer):
        if head["real"]:
            values = [value] if head["width"] == 1 and not isinstance(value, (list, tuple)) else value
            parts.append(struct.pack(f"<{head['width']}f", *values))
        else:
            parts.append(struct.pack("<i", value))
    return b"".join(parts)


def answer(spec, decide, body):
    parts, failure = [body[:4]], b""
    nothing = b"\1" + bytes(spec["answer_bytes"] - 1)
    for row in read_rows(spec, body):
        try:
            parts.append(packed(spec, decide(row)))
        except BaseException as error:
            parts.append(nothing)
            failure = failure or complaint(error)
    return b"".join(parts) + failure


def load(source):
    """The candidate's decide."""
    names = {"__name__": "candidate", "__file__": "candidate.py"}
    exec(compile(source, "candidate.py", "exec"), names)
    if not callable(names.get("decide")):
        raise NameError("the source has no function decide(row)")
    return names["decide"]


def main():
    hello = json.loads(receive()[1])
    for name in hello["modules"]:
        try:
            __import__(name)
        except ImportError:
            pass
    os.environ.clear()
    sys.argv[:] = ["candidate"]
    sys.path.clear()
    spec = hello["spec"]
    spec["place"] = {leaf["name"]: i for i, leaf in enumerate(spec["leaves"])}
    spec["head_place"] = {head["name"]: i for i, head in enumerate(spec["heads"])}
    try:
        confine(bytes.fromhex(hello["rules"]), hello["memory_bytes"], hello["cpu_s"])
    except BaseException as error:
        give(7, complaint(error))
        os._exit(1)
    give(1)
    source = hello["source"]
    hello.clear()
    try:
        decide = load(source)
    except BaseException as error:
        give(3, complaint(error))
        os._exit(1)
    give(2)
    while True:
        give(5, answer(spec, decide, receive()[1]))


main()
