"""Environments and policies that are classes of Python, in this process."""

import copy
import importlib
import json
import math
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import park_sdk
from park_sdk.plugins import End, Environment, Layout, Outcome, Policy, Rng, load

HERE = Path(__file__).resolve().parent
M64 = 2**64 - 1


@pytest.fixture(scope="module", autouse=True)
def classes():
    """The module of the classes; it adds to what the package has, so tests before do without."""
    global ward
    sys.path.insert(0, str(HERE / "plugins"))
    ward = importlib.import_module("ward")


def stream_of(text="ward", count=4, **options):
    return park_sdk.Stream(text, park_sdk.Episodes.of_run(seed=7, count=count), **options)


def played(text="ward", policy="random", count=4, **options):
    stream = stream_of(text, count, **options)
    result = park_sdk.record(stream, park_sdk.Policy(policy, stream.spec, seed=7))
    stream.close()
    return result


def mixed(z):
    """The finaliser of SplitMix64, as park/core/rng.h has it."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M64
    return z ^ (z >> 31)


def key_of(number):
    return mixed((number + 0x632BE59BD9B4E019) & M64)


def hashed(text):
    h = 0xCBF29CE484222325
    for byte in text.encode():
        h = ((h ^ byte) * 0x100000001B3) & M64
    return ((h ^ 0xFF) * 0x100000001B3) & M64


def test_the_generator_gives_the_bits_of_its_definition():
    child = Rng(2026).split("gap").split(3)
    key = key_of(2026)
    for number in (hashed("gap"), 3):
        key = key_of(key ^ mixed((number + 1) & M64))
    assert child.state == (key, 0)
    bits = [mixed((key + 0x9E3779B97F4A7C15 * i) & M64) for i in range(1, 6)]
    uniform = [(b >> 11) * 2.0**-53 for b in bits]
    assert child.bits() == bits[0]
    assert child.uniform() == uniform[1]
    assert child.below(10) == bits[2] * 10 >> 64
    assert child.exponential(4) == -4 * math.log1p(-uniform[3])
    assert child.uniform(2, 3) == 2 + uniform[4]
    assert Rng.restored((key, 1)).uniform(size=2).tolist() == uniform[1:3]


def test_the_generator_repeats_itself_and_can_be_copied():
    rng = Rng(5)
    rng.normal()
    for again in (copy.deepcopy(rng), pickle.loads(pickle.dumps(rng)), Rng.restored(rng.state)):
        assert again.pareto(2, 1, size=3).tolist() == Rng.restored(rng.state).pareto(
            2, 1, size=3).tolist()
    assert sorted(rng.permutation(9).tolist()) == list(range(9))
    assert rng.below(3, size=100).max() == 2
    for wrong in (lambda: rng.below(0), lambda: rng.uniform(size=-1), lambda: rng.pareto(0, 1)):
        with pytest.raises(park_sdk.ParkError, match="allowed is"):
            wrong()


def test_its_description_is_that_of_the_class():
    spec = park_sdk.spec("ward(wings=[4,1,2],patients=9)")
    assert (spec.name, spec.version) == ("ward", 3)
    assert spec.summary == "Beds of several wings; a patient gets care of a kind, by a number of nurses."
    assert spec.reference == "ward:Ward"
    assert spec.text == "ward(patients=9,wings=[4,1,2])"
    assert {g.name: g.capacity for g in spec.observation.groups} == {"wing": 3, "patient": 9}
    groups = {leaf.name: (leaf.group, leaf.shape) for leaf in spec.observation.leaves}
    assert groups["mask.patient"] == ("patient", ())
    assert groups["mask.care"] == ("patient", (3,))
    assert groups["nurses.max"] == ("wing", ())
    assert groups["patient.pulse"] == ("patient", (3,))
    assert [m.name for m in spec.metrics] == ["care_s", "done"]
    fields = {f["name"]: f for f in park_sdk._core.fields("ward")}
    assert fields["wings"]["type"] == "list of integer" and fields["wings"]["default"] == "[2,3]"
    assert (fields["gap_s"]["default"], fields["gap_s"]["unit"]) == ("10", "s")
    assert fields["rule"]["default"] == "open"


def test_it_plays_with_the_whole_contract():
    t = played(count=6)
    assert (t.steps["count.patient"][t.steps["step"] == 0] == 6).all()
    assert (np.diff(t.steps["count.patient"])[~t.steps["terminated"][:-1]] == -1).all()
    assert len(t.steps["obs.patient.pulse"]) == t.steps["count.patient"].sum()
    assert t.steps["obs.patient.pulse"].shape[1:] == (3,)
    assert t.steps["elapsed_s"].min() > 0 and len(set(t.steps["elapsed_s"])) == len(t.steps["step"])
    assert (t.steps["reward"] == -t.steps["elapsed_s"]).all()
    assert (t.episodes["metric.done"] == 6).all()
    assert (t.episodes["final.count.patient"] == 0).all()
    begins = np.cumsum(t.steps["count.patient"]) - t.steps["count.patient"]
    assert t.steps["obs.mask.patient"][begins + t.steps["action.patient"]].all()


def test_the_same_inputs_replay_under_any_number_of_slots_and_other_actions():
    one, many = played(count=6), played(count=6, slots=3, workers=2)
    for name, column in one.steps.items():
        assert np.array_equal(column, many.steps[name]), name
    for name, column in one.episodes.items():
        assert np.array_equal(column, many.episodes[name]), name
    other = played(policy="first_allowed", count=6)
    first = one.steps["step"] == 0
    assert (one.steps["action.care"] != other.steps["action.care"]).any()
    assert (one.steps["obs.info.now_s"][first] == other.steps["obs.info.now_s"][first]).all()
    assert np.array_equal(one.steps["obs.patient.pulse"][:6], other.steps["obs.patient.pulse"][:6])


def test_gymnasium_knows_it():
    env = park_sdk.make(ward.Ward, patients=3, rule="strict")
    observation, info = env.reset(seed=4)
    assert observation["patient_pulse"].shape == (9,)
    total, over = 0.0, False
    while not over:
        action = env.action_space.sample()
        observation, _, terminated, truncated, info = env.step(action)
        total, over = total + info["elapsed_s"], terminated or truncated
    assert info["metrics"]["care_s"] == pytest.approx(total / info["metrics"]["done"])
    env.close()
    assert park_sdk.gym_id("ward") == "Park/Ward-v3"
    vector = park_sdk.make("ward(patients=2)", num_envs=4)
    vector.reset(seed=1)
    vector.step(vector.action_space.sample())
    vector.close()
    with pytest.raises(park_sdk.ParkError, match="is no environment"):
        park_sdk.make(ward.Small)


def test_it_is_served_to_other_processes():
    with park_sdk.serve("ward(patients=5)") as server:
        remote = stream_of("", endpoint=server.endpoint, slots=2)
        elsewhere = park_sdk.record(remote, park_sdk.Policy("random", remote.spec, seed=7))
        remote.close()
    here = played("ward(patients=5)")
    for name, column in here.steps.items():
        assert np.array_equal(column, elsewhere.steps[name]), name


@pytest.mark.parametrize(
    "text,why",
    [
        ("ward(patients=0)", "patients = 0"),
        ("ward(patients=1.5)", "patients = 1.5"),
        ("ward(wings=[2,10])", r"wings\[1\] = 10"),
        ("ward(rule=some)", "rule = some"),
        ("ward(gap_s=0)", "gap_s = 0"),
        ("ward(tired=1)", "tired = 1"),
        ("ward(patient=1)", "unknown field 'patient'.*patients"),
        ("ward(wings=[9,9,9])", r"wings = \[9, 9, 9\]: the sum is 27; allowed are 20"),
    ],
)
def test_a_bad_configuration_is_named(text, why):
    with pytest.raises(park_sdk.ParkError, match=why) as caught:
        park_sdk.spec(text)
    assert caught.value.code == "invalid_config"


def declared(**members):
    """A class made of the small one."""
    return type("Made", (ward.Small,), {"__module__": __name__, **members})


def config_of(annotations, **members):
    return type("Config", (), {"__annotations__": annotations, **members})


def layout_with(change):
    def layout(config):
        made = ward.Small.layout(config)
        change(made)
        return made

    return staticmethod(layout)


@pytest.mark.parametrize(
    "members,why",
    [
        ({"Config": config_of({"a": int}, a=3)}, "field a: declare it with park_sdk.field"),
        ({"Config": config_of({}, a=park_sdk.field(3, "x"))}, "field a: needs its type"),
        ({"Config": config_of({"a": int}, a=park_sdk.field(3.5, "x"))}, "default 3.5 is no integer"),
        ({"Config": config_of({"a": dict}, a=park_sdk.field({}, "x"))}, "field a: type dict; allowed"),
        ({"Config": config_of({"a": int}, a=park_sdk.field(3, ""))}, "field a: needs a doc"),
        ({"Config": config_of({"a": int}, a=park_sdk.field(3, "x", max=2))}, "made: field 'a' = 3 is outside"),
        ({"Config": config_of({"a": str}, a=park_sdk.field("", "x", names="door"))}, "names: 'door'"),
        ({"name": "load_balance"}, "name: environment 'load_balance' is there already"),
        ({"layout": layout_with(lambda m: m.leaf("y", "x"))}, "'y': high: is required"),
        ({"layout": layout_with(lambda m: m.leaf("y", "x", dtype="f16", high=1))}, "dtype: 'f16'"),
        ({"layout": layout_with(lambda m: m.leaf("Y", "x", high=1))}, "'Y' must be lower-case words"),
        ({"layout": layout_with(lambda m: m.mask("b"))}, "head 'b': declare it before"),
        ({"layout": layout_with(lambda m: m.leaf("y", "x", index_of="g"))}, "no group 'g' yet"),
        ({"layout": layout_with(lambda m: m.head("b", "x", high=1, given=["c"]))}, "earlier head"),
    ],
)
def test_a_bad_declaration_is_named(members, why):
    with pytest.raises(park_sdk.ParkError, match=why):
        park_sdk.environment(declared(**{"name": "made", **members}))


def test_only_classes_of_the_bases_are_taken():
    for wrong in (3, int, Policy.act):
        with pytest.raises(park_sdk.ParkError, match="is no class made of park_sdk.plugins.Environ"):
            park_sdk.environment(wrong)
    with pytest.raises(park_sdk.ParkError, match="is no class made of park_sdk.plugins.Policy"):
        park_sdk.policy(ward.Small)


def ragged(config):
    layout = ward.Small.layout(config)
    layout.group("item", 3)
    layout.leaf("item.size", "a size", dtype="i32", low=-2, high=5, group="item")
    layout.mask("a")
    return layout


def set_leaf(leaf, value):
    def reset(self, episode, row):
        self.steps = 0
        row["mask.a"] = 1
        row.resize("item", 2)
        row[leaf] = value

    return reset


def set_mask(self, episode, row):
    row["mask.a"] = 0


def set_view(self, episode, row):
    row["mask.a"], row["x"][...] = 1, 1.5


def resize(group, elements):
    return lambda self, episode, row: row.resize(group, elements)


@pytest.mark.parametrize(
    "reset,why",
    [
        (set_leaf("item.size", [1, 6]), "item.size: is 6; allowed are -2 to 5"),
        (set_leaf("item.size", [1, 2.5]), "item.size: must be whole numbers"),
        (set_leaf("item.size", [1, 2, 3]), r"item.size: int64 of shape \(3,\) for int32 of shape \(2,\)"),
        (set_leaf("x", "word"), "x: .* for float32"),
        (set_leaf("y", 1), "row: no leaf 'y'; leaves are x, item.size, mask.a"),
        (set_leaf("x", np.nan), r"observation: x: a value is outside of \[0, 1\]"),
        (set_view, r"observation: x: a value is outside of \[0, 1\]"),
        (set_mask, "observation: a: row 0 leaves the head no legal value"),
        (resize("item", 4), "row: item with 4 elements; allowed are 0 to 3"),
        (resize("items", 1), "row: no group 'items'; groups are item"),
        (lambda self, episode, row: 1 / 0, r"ZeroDivisionError: division by zero \(.*test_plugins"),
    ],
)
def test_what_is_wrong_with_a_row_is_told(reset, why):
    park_sdk.environment(declared(name="made", layout=staticmethod(ragged), reset=reset))
    with pytest.raises(park_sdk.ParkError, match=why):
        stream_of("made").recv()


@pytest.mark.parametrize(
    "step,why",
    [
        (lambda self, action, row: 3, "step: returned 3; allowed is an Outcome"),
        (lambda self, action, row: Outcome(math.nan, 1), "reward: is nan"),
        (lambda self, action, row: Outcome(0, -1), "elapsed_s: is -1"),
        (lambda self, action, row: Outcome(0, 1, 7), "end: is 7"),
    ],
)
def test_what_is_wrong_with_an_outcome_is_told(step, why):
    park_sdk.environment(declared(name="made", step=step))
    stream = stream_of("made")
    stream.recv()
    with pytest.raises(park_sdk.ParkError, match=why):
        stream.send([0])
        stream.recv()


def test_what_is_wrong_with_metrics_is_told():
    park_sdk.environment(declared(name="made", metrics=lambda self: {"n": 1}))
    with pytest.raises(park_sdk.ParkError, match="metrics: n; it has m"):
        played("made")


def test_a_row_arrives_empty_each_time():
    class Forgets(ward.Small):
        """Writes its leaf at the first row alone."""

        layout = staticmethod(ragged)

        def reset(self, episode, row):
            self.steps = 0
            row["mask.a"], row["x"] = 1, 0.5
            row.resize("item", 3)
            row["item.size"] = [1, 2, 3]

        def step(self, action, row):
            row["mask.a"] = 1
            assert row.count("item") == 0
            row.resize("item", 1)
            return super().step(action, row)

    park_sdk.environment(Forgets)
    t = played("forgets", count=1)
    assert t.steps["obs.x"].tolist() == [0.5, 0, 0]
    assert t.steps["count.item"].tolist() == [3, 1, 1]
    assert t.steps["obs.item.size"].tolist() == [1, 2, 3, 0, 0]


def test_the_horizon_and_the_end_are_the_authors():
    episodes = park_sdk.Episodes.listed([(1, 2), (3, 4)], horizon_s=12.5)
    stream = park_sdk.Stream("ward(gap_s=50)", episodes)
    t = park_sdk.record(stream, park_sdk.Policy("random", stream.spec))
    assert t.steps["truncated"].sum() == 2
    assert t.steps["elapsed_s"].sum() == pytest.approx(25)


def test_a_policy_of_python_decides():
    t = played(policy="first_allowed(calm=0.25)")
    assert (t.steps["action.calm"] == 0.25).all() and (t.steps["action.nurses"] == 1).all()
    assert t.steps["action.patient"].max() == 0
    spec = park_sdk.spec("ward")
    assert "first_allowed" in park_sdk.policies("ward")
    assert "first_allowed" not in park_sdk.policies("load_balance")
    with pytest.raises(park_sdk.ParkError, match="calm = 2"):
        park_sdk.Policy("first_allowed(calm=2)", spec)
    with pytest.raises(park_sdk.ParkError, match="does not understand 'load_balance'"):
        park_sdk.Policy("first_allowed", park_sdk.spec("load_balance"))


def test_a_policy_begins_each_episode_with_a_generator_of_its_own():
    begun = []

    @park_sdk.policy
    class Watches(ward.FirstAllowed):
        name = "watches"

        def start(self, slot, episode, rng):
            begun.append((slot, episode.number, episode.horizon_s, rng.uniform()))

    first = played(policy="watches", count=4, slots=2)
    again = [b for b in begun]
    begun.clear()
    played(policy="watches", count=4, slots=2)
    assert len(first.episodes["episode"]) == 4 and again == begun
    assert sorted(b[1] for b in begun) == [0, 1, 2, 3] and len({b[3] for b in begun}) == 4


@pytest.mark.parametrize(
    "act,why",
    [
        (lambda self, asked: [0], "act: patient; it has patient, care, nurses, calm"),
        (lambda self, asked: {"patient": [0]}, "act: patient; it has"),
        (lambda self, asked: None.x, "AttributeError: .* has no attribute 'x'"),
    ],
)
def test_a_wrong_answer_is_told(act, why):
    park_sdk.policy(type("Wrong", (Policy,), {"act": act, "environments": ("ward",)}))
    stream = stream_of()
    policy = park_sdk.Policy("wrong", stream.spec)
    stream.recv()
    with pytest.raises(park_sdk.ParkError, match=why):
        policy.act(stream)


def test_a_class_is_found_by_its_module_and_name():
    assert load("ward:Ward") is ward.Ward
    assert load("ward:Declines") is ward.Declines  # made one by being asked for
    assert "declines" in park_sdk.environments()
    for text, why in (
        ("ward", "is no module:Class"),
        ("ward:Wart", "ward has no Wart; its plug-ins are Ward, FirstAllowed, Small, Throws"),
        ("ward:np", "np is no class made of"),
        ("no_ward:Ward", "ModuleNotFoundError: No module named 'no_ward'$"),
        ("broken_import:X", r"No module named 'no_such_package_of_park' \(.*broken_import.py:3\)"),
        ("park.envs:nothing", "park.envs:nothing: no installed package has it"),
    ):
        with pytest.raises(park_sdk.ParkError, match=why):
            load(text)
    with pytest.raises(park_sdk.ParkError, match="OSError: no such pump"):
        stream_of("declines")


def test_a_class_may_be_declared_again_but_not_by_another():
    class Small(ward.Small):
        name = "once"

    park_sdk.environment(Small)
    park_sdk.environment(Small)
    Small.version = 2
    assert park_sdk.spec("once").version == 2

    class Other(ward.Small):
        name = "once"

    with pytest.raises(park_sdk.ParkError, match="name: environment 'once' is there already"):
        park_sdk.environment(Other)


PACKAGE = """
from park_sdk.plugins import Policy
from ward import Ward
class Beds(Ward):
    name = "beds"
class Last(Policy):
    name = "last"
    def act(self, asked):
        n = len(asked.slot)
        return {h.name: [[h.high] * h.width] * n for h in self.spec.action.leaves}
"""
PROGRAM = """
import sys, warnings
warnings.simplefilter("error", ResourceWarning)
import park_sdk
assert "beds_of_a_package" not in sys.modules
assert park_sdk.spec("beds(patients=2)").name == "beds"
assert "beds_of_a_package" in sys.modules
assert park_sdk.make("beds", patients=2).park_spec.name == "beds"
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    assert "beds" in park_sdk.environments() and "last" in park_sdk.policies("beds")
print(*[w.message for w in told], sep="\\n")
"""


def test_an_installed_package_announces_plugins(tmp_path):
    """As pip leaves it in a folder."""
    info = tmp_path / "beds-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: beds\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[park.envs]\nbeds = beds_of_a_package:Beds\nlost = beds_of_a_package:Lost\n"
        "[park.policies]\nlast = beds_of_a_package:Last\n"
    )
    (tmp_path / "beds_of_a_package.py").write_text(PACKAGE)
    before = os.environ.get("PYTHONPATH", "")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": ":".join([str(tmp_path), str(HERE / "plugins"), before])},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split("\n")) == {
        "park.envs:lost: beds_of_a_package has no Lost; its plug-ins are Beds, Last", ""
    }


def test_the_page_shows_the_example():
    page = (HERE.parents[2] / "docs" / "python_plugins.md").read_text(encoding="utf-8")
    example = (HERE.parent / "examples" / "clinic.py").read_text(encoding="utf-8")
    assert example.partition('"""\n\n')[2].partition("\n\nif __name__")[0].strip() in page


def test_the_bases_say_what_is_missing():
    bare = type("Bare", (Environment,), {"layout": staticmethod(ward.Small.layout)})
    park_sdk.environment(bare)
    with pytest.raises(park_sdk.ParkError, match=r"reset\(episode, row\) is required"):
        stream_of("bare").recv()
    with pytest.raises(park_sdk.ParkError, match=r"layout\(config\) is required"):
        park_sdk.environment(type("Bare", (Environment,), {"name": "barer"}))
    assert (End.NONE, End.TERMINATED, End.TRUNCATED) == (0, 1, 2)
    assert Layout().records()[0].leaves == ()


@pytest.fixture(scope="module")
def library():
    """The example of docs/plugins.md in C++, which the build of the command has beside it."""
    binary = os.environ.get("PARK_BINARY", "")
    file = Path(binary).parent.parent / "plugins/libspeed.so"
    if not file.exists():
        pytest.skip("the build of PARK_BINARY has no example of a plug-in")
    return file


def run_python(code, **environment):
    return subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment},
                          capture_output=True, text=True, timeout=100)


def test_a_library_is_loaded_as_the_command_loads_it(library, park):
    brought = park_sdk.load_plugin(library)
    assert brought["environments"] == ["speed"] and not brought["systems"]
    assert park_sdk.load_plugin(str(library)) == brought
    costs_s = played("speed", count=3).episodes["metric.cost_s"]
    told = json.loads(park("run", "speed", "--plugin", str(library), "--policy", "random",
                           "--episodes", "3", "--seed", "7", "--json", "--quiet"))
    shown = told["results"][0]["metrics"]["cost_s"]["mean"]
    assert np.mean(costs_s) == pytest.approx(shown, rel=1e-12)


def test_libraries_of_the_variable_are_found_by_name(library):
    code = "import park_sdk; print(park_sdk.spec('speed').name, 'speed' in park_sdk.environments())"
    done = run_python(code, PARK_PLUGIN_PATH=str(library.parent / "libspeed.so"))
    assert done.stdout == "speed True\n", done.stderr


def test_what_is_no_plugin_is_one_line(tmp_path):
    file = tmp_path / "no.so"
    file.write_bytes(b"no library")
    with pytest.raises(park_sdk.ParkError, match="no.so: ") as caught:
        park_sdk.load_plugin(file)
    assert "\n" not in str(caught.value)
    done = run_python("import park_sdk; park_sdk.spec('speed')", PARK_PLUGIN_PATH=str(file))
    assert done.returncode == 1 and "no.so: " in done.stderr.splitlines()[-1]
    done = run_python("import park_sdk; park_sdk.spec('speed')", PARK_PLUGIN_PATH="here")
    assert "PARK_PLUGIN_PATH" in done.stderr.splitlines()[-1]
