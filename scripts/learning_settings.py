"""What scripts/measure_learning.py trains and where it tests it."""

from dataclasses import dataclass, field

WORKLOAD = "build/decima.park"
DECIMA = f"moving_delay_s=2,warmup_delay_s=1,workload={WORKLOAD}"
FIXED = ("fifo", "sjf_cp", "fair", "naive_weighted_fair", "tetris")
TUNED = ("weighted_fair", "srpt_capped", "graphene_star")


@dataclass(frozen=True)
class Training:
    """One way to train; its runs are runs/NAME-SEED."""
    name: str
    env: str
    iterations: int = 0
    budget: str = ""
    seeds: int = 3
    algorithm: str = ""
    baseline: str = "sequence_mean"
    network: str = "park(hidden1=64,hidden2=32,memory=8)"
    keep_every: int = 0

    def run(self, seed):
        """The folder of a seed, from the root of the repository."""
        return f"runs/{self.name}-{seed}"

    def command(self, seed):
        """What trains a seed from its first iteration."""
        words = ["train", self.env, "--algo", self.algorithm, "--baseline", self.baseline,
                 "--net", self.network, "--seed", str(seed)]
        for option, value in (("--iterations", self.iterations), ("--budget", self.budget),
                              ("--keep-every", self.keep_every)):
            words += [option, str(value)] if value else []
        return [*words, "--out", self.run(seed)]


@dataclass(frozen=True)
class Setting:
    """A table: trainings beside all heuristics, on an environment."""
    title: str
    env: str
    trainings: list
    episodes: int = 100
    notes: list = field(default_factory=list)


def ppo(entropy=0.03, **fields):
    """The algorithm of all trainings; fields that differ from it.

    Where jobs keep arriving, what a decision does is over after some busy minutes: with discounting
    the noise of everything later is left out, and a policy is as good after an eighth of the
    decisions. In batches, where all jobs wait for each other, discounting makes policies worse.
    """
    all_fields = {"sequences": 4, "rollouts": 4, "lambda": 1, "epochs": 1, "minibatch": 512,
                  "learning_rate": 0.002, "final_learning_rate": "5e-5", "entropy": entropy,
                  "entropy_until": 0.9, "slots": 16, "average": 0.98, **fields}
    return "ppo(" + ",".join(f"{name}={value}" for name, value in all_fields.items()) + ")"


def cluster(fields):
    """The environment with 50 executors."""
    return f"dag_scheduling(executors=50,{fields})"


BATCH = cluster(f"jobs=20,{DECIMA}")
STREAM_25 = f"arrival=poisson,interval_s=25,{DECIMA}"
STREAM_20 = f"arrival=poisson,interval_s=20,{DECIMA}"
SHORT = "trained on streams of 50 jobs, tested on the longer ones of the table"


def ablation(name, network="park", baseline="sequence_mean", **fields):
    """A variant that is trained for a quarter of an hour; its network is small."""
    return Training(f"ablation-{name}", BATCH, budget="15m", network=network, baseline=baseline,
                    algorithm=ppo(**fields))


BATCH_TRAINING = Training("batch", BATCH, 4000, "60m", 5, ppo(), keep_every=500)
SETTINGS = {
    "batch": Setting("Batches of 20 jobs, Decima's profiles", BATCH, [BATCH_TRAINING]),
    "poisson25": Setting(
        "Jobs arrive every 25 s, Decima's profiles", cluster(f"jobs=200,{STREAM_25}"),
        [Training("poisson25", cluster(f"jobs=50,{STREAM_25}"), 1500, "120m", 3,
                  ppo(discount_rate=0.004))],
        notes=[SHORT]),
    "poisson20": Setting(
        "Jobs arrive every 20 s, Decima's profiles", cluster(f"jobs=1000,{STREAM_20}"),
        [Training("poisson20", cluster(f"jobs=50,{STREAM_20}"), 1500, "120m", 3,
                  ppo(discount_rate=0.004))],
        notes=[SHORT]),
    "bundled": Setting("Batches of 20 jobs, bundled workload", cluster("jobs=20"),
                       [Training("bundled", cluster("jobs=20"), 3000, "60m", 3, ppo())]),
    "ablations": Setting("What the parts are good for", BATCH, [
        ablation("all", "park"),
        ablation("no-memory", "park"),
        ablation("embedding", "park(embedding=8)"),
        ablation("no-durations", "park(durations=false)"),
        ablation("no-limits", "park(limits=false)"),
        ablation("no-baseline", "park", "none"),
        ablation("decima", "decima"),
        ablation("decima-no-graph", "decima(graph=false)"),
        ablation("decima-limit-outputs", "decima(limit=outputs)"),
        ablation("decima-limit-stage", "decima(limit=stage)"),
    ]),
    "batch_on_arrivals": Setting("Policies of batches where jobs arrive every 25 s",
                                 cluster(f"jobs=200,{STREAM_25}"), [BATCH_TRAINING]),
    "makespan": Setting(
        "Makespan of batches", cluster(f"jobs=20,objective=makespan,{DECIMA}"),
        [Training("makespan", cluster(f"jobs=20,objective=makespan,{DECIMA}"), 2000, "30m", 3,
                  ppo())]),
    "free_migration": Setting(
        "Batches where executors move at once",
        cluster(f"jobs=20,{DECIMA}").replace("moving_delay_s=2", "moving_delay_s=0"),
        [Training("free_migration",
                  cluster(f"jobs=20,{DECIMA}").replace("moving_delay_s=2", "moving_delay_s=0"),
                  2000, "30m", 3, ppo())]),
}
