// The leaderboard: a table for each environment, ranked by the mean of its metric.
"use strict";

park.Leaderboard = class {
  constructor({ files, rows, agents }) {
    this.files = files;
    const suites = new Map();
    for (const row of agents) suites.set(row.board, [...(suites.get(row.board) || []), row]);
    park.find("boards").append(...[...suites.values()].map((list) => this.agentsTable(list)));
    const boards = new Map();
    for (const row of rows) {
      if (!boards.has(row.board)) boards.set(row.board, []);
      boards.get(row.board).push(row);
    }
    this.boards = [...boards.values()].map((list) => ({ name: this.nameOf(list[0]), rows: this.ranked(list) }));
    park.find("boards").append(...this.boards.map((board) => this.table(board)));
    park.find("files").append(this.fileTable());
  }

  /** What all rows of a table have in common. */
  nameOf({ env, version, seed, episodes }) {
    return env + ", version " + version + ", seed " + seed + ", " + episodes + (episodes === 1 ? " episode" : " episodes");
  }

  /** Best first; equal means share a rank. */
  ranked(rows) {
    const sign = rows[0].better === "lower" ? 1 : -1;
    const known = rows.filter(({ mean }) => mean !== null).sort((a, b) => sign * (a.mean - b.mean));
    known.forEach((row, i) => {
      row.rank = i > 0 && known[i - 1].mean === row.mean ? known[i - 1].rank : i + 1;
    });
    return known;
  }

  /** In parts of one, or a dash where there is no figure. */
  known(value, parts) {
    return value === null ? "\u2013" : park.number(Math.round(parts * value) / parts + 0);
  }

  table({ name, rows }) {
    const { metric, unit } = rows[0];
    const columns = [
      { title: "rank", value: (row) => row.rank },
      { title: "policy", value: (row) => row.policy, left: true },
      {
        title: metric + (unit === "1" ? "" : " [" + unit + "]"),
        value: (row) => row.mean,
        text: (row) => park.number(row.mean),
      },
      {
        title: "95 % interval",
        value: (row) => row.bootstrap95[0],
        text: ({ bootstrap95: [low, high] }) => "[" + park.number(low) + ", " + park.number(high) + "]",
      },
      { title: "IQM", value: (row) => row.iqm, text: (row) => park.number(row.iqm) },
      {
        title: "score",
        value: (row) => row.score,
        text: (row) => this.known(row.score, 1000),
      },
      {
        title: "% better than the best baseline",
        value: (row) => row.percent_better,
        text: (row) => this.known(row.percent_better, 10),
      },
      {
        title: "% to the bound",
        value: (row) => row.percent_to_bound,
        text: (row) => this.known(row.percent_to_bound, 10),
      },
      {
        title: "episodes",
        value: (row) => row.episodes,
        text: (row) => row.episodes + (row.failed > 0 ? " (" + row.failed + " failed)" : ""),
      },
      { title: "file", value: (row) => row.files.map((i) => i + 1).join(", "), left: true },
    ];
    return park.element(
      "section",
      { class: "summary" },
      park.element("h2", null, name),
      park.element("div", { class: "scroll" }, park.table(columns, rows).table),
    );
  }

  /** Agents over all environments of a suite, best first. */
  agentsTable(list) {
    const rows = [...list].sort((a, b) => (b.iqm ?? -Infinity) - (a.iqm ?? -Infinity));
    rows.forEach((row, i) => {
      row.rank = i > 0 && rows[i - 1].iqm === row.iqm ? rows[i - 1].rank : i + 1;
    });
    const { suite, environments } = rows[0];
    const columns = [
      { title: "rank", value: (row) => row.rank },
      { title: "agent", value: (row) => row.agent, left: true },
      { title: "score, IQM", value: (row) => row.iqm, text: (row) => this.known(row.iqm, 1000) },
      {
        title: "95 % interval",
        value: (row) => row.bootstrap95[0],
        text: ({ bootstrap95: [low, high] }) => "[" + this.known(low, 1000) + ", " + this.known(high, 1000) + "]",
      },
      { title: "mean", value: (row) => row.mean, text: (row) => this.known(row.mean, 1000) },
      { title: "optimality gap", value: (row) => row.optimality_gap, text: (row) => this.known(row.optimality_gap, 1000) },
      { title: "seeds", value: (row) => row.seeds },
      { title: "CPU time [s]", value: (row) => row.cpu_s, text: (row) => park.number(row.cpu_s) },
      { title: "file", value: (row) => row.file + 1 },
    ];
    return park.element(
      "section",
      { class: "summary" },
      park.element("h2", null, "Agents of " + suite + ", " + environments + (environments === 1 ? " environment" : " environments")),
      park.element("div", { class: "scroll" }, park.table(columns, rows).table),
    );
  }

  fileTable() {
    const columns = [
      { title: "number", value: (row) => row.number },
      { title: "file", value: (row) => row.file, left: true },
      { title: "suite", value: (row) => row.suite, left: true },
      { title: "date", value: (row) => row.started.slice(0, 10), left: true },
      { title: "commit", value: (row) => row.commit, left: true },
      { title: "processor", value: (row) => row.processor, left: true },
      { title: "complete", value: (row) => (row.interrupted || row.failures > 0 ? "no" : "yes"), left: true },
    ];
    const rows = this.files.map((file, i) => ({ number: i + 1, ...file }));
    return park.table(columns, rows).table;
  }
};

park.setUpTheme();
park.page = new park.Leaderboard(park.data);
park.tellReady();
