// The part of a report on agents, which were trained for the benchmark: scores by environment and over
// them, what trained policies reach elsewhere, and what it cost.
"use strict";

park.report.Agents = class {
  /** results.json, and its environments as the page has them. */
  constructor(results, envs) {
    this.results = results;
    this.envs = envs;
    this.figures = results.agents;
  }

  /** Tables for the summary. */
  tables() {
    return park.element(
      "div",
      { class: "scroll summary agents" },
      park.element("h3", null, "Agents"),
      this.scoresTable(),
      ...this.matrices(),
      this.costsTable(),
    );
  }

  table(kind, head, rows) {
    const cells = ([first, ...rest]) => [
      park.element("th", { scope: "row", class: "text policy" }, first),
      ...rest.map((cell) => park.element("td", null, cell)),
    ];
    return park.element(
      "table",
      { class: kind },
      park.element("thead", null, park.element("tr", null, head.map((text) => park.element("th", { scope: "col" }, text)))),
      park.element("tbody", null, rows.map((row) => park.element("tr", null, cells(row)))),
    );
  }

  /** The standing of an agent that was trained on an environment and plays another. */
  standing(agent, on, env) {
    return this.figures.standings.find(
      (one) => one.agent === agent && one.trained_on === on && one.environment === env,
    );
  }

  /** A row for each environment, a column for each agent; last all environments together. */
  scoresTable() {
    const { estimate } = park.report;
    const agents = this.figures.scores;
    const rows = this.envs.map(({ name }, e) => [
      name,
      ...agents.map(({ agent }) => {
        const found = this.standing(agent, e, e);
        if (found) return estimate(found.mean, 1000);
        return this.figures.unfit.some((one) => one.agent === agent && one.environment === e) ? "does not fit" : "\u2013";
      }),
    ]);
    const all = (name, of) => [name, ...agents.map((one) => (one.everywhere ? estimate(of(one), 1000) : "\u2013"))];
    rows.push(
      all("all, IQM", (one) => one.iqm),
      all("all, mean", (one) => one.mean),
      all("all, optimality gap", (one) => one.optimality_gap),
    );
    return this.table("agent-scores", ["score", ...agents.map(({ agent }) => agent)], rows);
  }

  /** Trained on (rows), played on (columns): one for each agent and each environment in several settings. */
  matrices() {
    const { suite } = this.results;
    if (!suite.agents || !suite.training.transfer) return [];
    const groups = new Map();
    suite.environments.forEach(({ env }, e) => groups.set(env, [...(groups.get(env) || []), e]));
    return [...groups.values()]
      .filter((group) => group.length > 1)
      .flatMap((group) => suite.agents.map(({ agent }) => this.matrix(agent, group)));
  }

  matrix(agent, group) {
    const rows = group.map((on, i) => [
      i + 1 + ": " + this.envs[on].name,
      ...group.map((env) => {
        const found = this.standing(agent, on, env);
        return found ? park.report.estimate(found.mean, 1000) : "\u2013";
      }),
    ]);
    const head = [agent + ", trained on", ...group.map((_, i) => "score on " + (i + 1))];
    return this.table("matrix", head, rows);
  }

  costsTable() {
    const rows = this.figures.costs.map((one) => [
      one.agent,
      String(one.trainings),
      String(one.failed),
      park.number(one.decisions),
      park.number(one.cpu_s),
    ]);
    return this.table("costs", ["cost of training", "trainings", "failed", "decisions", "CPU time [s]"], rows);
  }
};
