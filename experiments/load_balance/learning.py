"""Trainings on load_balance and what they are compared with."""

from settings import BASELINES, TRIES, Heuristics, Setting, Training, a2c, grid

SERVERS = Heuristics(
    ("shortest_queue", "shortest_expected_delay", "least_work", "round_robin", "random"),
    ("power_of_d", "size_interval"), ("shortest_queue",))


def servers_training(name, baseline, learning_rate, decay):
    """A2C on ten servers; the baseline is what differs."""
    return Training(f"load_balance-{name}", "load_balance", budget="2m", seeds=5, network="scorer",
                    baseline=baseline, algorithm=a2c(learning_rate, decay))


SETTINGS = {
    "load_balance_tries": Setting(
        "Fields of A2C on ten servers", "load_balance",
        grid(servers_training, 50, (0.003, 0.01), (0.95, 1)), SERVERS, tries=True,
        notes=[TRIES]),
    "load_balance": Setting(
        "A2C on ten servers, baselines of the ICLR 2019 paper", "load_balance",
        [servers_training(name, BASELINES[name], *fields) for name, fields in
         {"value": (0.01, 1), "multi_value": (0.01, 1), "meta": (0.01, 1)}.items()], SERVERS,
        tune_episodes=60, notes=[
            "targets: a state value beats shortest_queue, reached; input-dependent baselines beat the "
            "best heuristic, reached, and are 25 % better than a state value, missed"]),
}
