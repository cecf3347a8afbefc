// The report of a benchmark: the summary, then charts for each environment.
"use strict";

park.ReportPage = class {
  constructor({ results, timelines, learning }) {
    this.results = results;
    this.envs = results.manifest.environments.map((facts, e) => this.envOf(facts, e));
    for (const result of results.results)  // beside the data, which stay those of results.json
      Object.defineProperty(result, "title", { value: this.titleOf(result) });
    this.agents = results.agents ? new park.report.Agents(results, this.envs) : null;
    this.describe();
    if (this.agents) park.find("tables").append(this.agents.tables());
    park.find("tables").append(...this.envs.map((env) => this.tables(env)));
    this.drawOverall();
    for (const env of this.envs) this.drawEnv(env, timelines, learning);
  }

  /** What people call a result: its policy, or the agent that was trained. */
  titleOf({ policy, training, environment }) {
    if (!training) return policy;
    const elsewhere = training.environment !== environment;
    return (
      training.agent +
      ", seed " +
      training.seed +
      (elsewhere ? ", trained on " + this.envs[training.environment].name : "")
    );
  }

  /** An environment with its results, best first, and what they are compared by; those that failed
   * everywhere are only listed. */
  envOf(facts, e) {
    const metric = facts.metrics.find(({ name }) => name === this.results.suite.environments[e].metrics[0]);
    const mean = (result) => result.metrics[metric.name].mean;
    const sign = metric.better === "lower" ? 1 : -1;
    const listed = this.results.results
      .filter((result) => result.environment === e && (result.episodes > 0 || this.failed(result) > 0))
      .sort((a, b) => sign * (mean(a) - mean(b)));
    return {
      facts,
      metric,
      name: facts.env,
      id: "env-" + e,
      listed,
      results: listed.filter((result) => result.episodes > 0),
      metrics: this.results.suite.environments[e].metrics.map((name) =>
        facts.metrics.find((one) => one.name === name),
      ),
      scale: this.results.scales.find(({ env }) => env === facts.env) || null,
    };
  }

  describe() {
    const { suite, manifest, failures, interrupted } = this.results;
    park.find("title").textContent = "Benchmark " + suite.name;
    park.find("about").textContent = suite.summary;
    const { host } = manifest;
    park.find("made").textContent =
      "Seed " +
      suite.seed +
      ", " +
      manifest.started.slice(0, 10) +
      ", park " +
      host.park +
      (interrupted ? ". Interrupted: only finished episodes count." : "");
    park
      .find("contents")
      .append(...this.envs.map((env) => park.element("a", { href: "#" + env.id }, env.name)));
    park
      .find("failures")
      .replaceChildren(
        ...failures.map((one) =>
          park.element(
            "div",
            null,
            "Failed: " + one.env + ", " + one.policy + ", " + one.episodes + " episodes: " + one.error,
          ),
        ),
      );
    park.find("command").textContent = manifest.command.join(" ");
    const facts = [
      ["commit", host.commit],
      ["compiler", host.compiler],
      ["processor", host.processor],
      ["cores", host.cores],
      ["LibTorch", host.libtorch || "\u2013"],
      ["system", host.system],
    ];
    park
      .find("facts")
      .append(
        ...facts.flatMap(([name, value]) => [
          park.element("dt", null, name),
          park.element("dd", null, value),
        ]),
      );
  }

  // The summary.

  /** A paired comparison as seen from `policy`, whichever way round it was recorded. */
  comparison(env, policy, against) {
    const flip = ([low, high]) => [high === null ? null : -high, low === null ? null : -low];
    for (const one of this.results.comparisons) {
      if (one.env !== env.name || one.metric !== env.metric.name) continue;
      if (one.policy === policy && one.against === against)
        return {
          difference: one.mean_difference,
          interval: one.bootstrap95,
          better: { value: one.probability_of_improvement, bootstrap95: one.improvement_bootstrap95 },
        };
      if (one.policy === against && one.against === policy)
        return {
          difference: -one.mean_difference,
          interval: flip(one.bootstrap95),
          better: {
            value: one.probability_of_improvement === null ? null : 1 - one.probability_of_improvement,
            bootstrap95: flip(one.improvement_bootstrap95).map((end) => (end === null ? null : 1 + end)),
          },
        };
    }
    return null;
  }

  /** How a policy stands beside the best baseline; without figures where it has none that is defined. */
  standing(env, policy) {
    const none = { value: null, bootstrap95: [null, null] };
    const found = this.results.standings.find((one) => one.env === env.name && one.policy === policy);
    return found || { score: none, percent_better: none, percent_to_bound: none };
  }

  /** The number of episodes that a result failed in. */
  failed(result) {
    return this.results.failures
      .filter((one) => this.results.results[one.result] === result)
      .reduce((sum, { episodes }) => sum + episodes, 0);
  }

  /** The metrics of an environment, and below them how the policies stand beside the best baseline. */
  tables(env) {
    return park.element(
      "div",
      { class: "scroll summary" },
      park.element("h3", null, park.element("a", { href: "#" + env.id }, env.name)),
      this.metricsTable(env),
      env.scale ? this.standingsTable(env) : [],
    );
  }

  metricsTable(env) {
    const head = [...env.metrics.map(park.report.named), "95 % interval", "IQM"];
    return this.policyTable("metrics", env, head, (result) => {
      const first = result.metrics[env.metric.name];
      return [
        ...env.metrics.map(({ name }) => park.number(result.metrics[name].mean)),
        park.report.range(first.mean_bootstrap95),
        park.number(first.iqm),
      ];
    });
  }

  standingsTable(env) {
    const { one_policy: best, bound_policy: bound } = env.scale;
    const { estimate, range } = park.report;
    const head = ["score", "% better than " + best, ...(bound ? ["% to " + bound] : []), "difference", "P(better)"];
    return this.policyTable("standings", env, head, (result) => {
      const to = best === result.policy ? null : this.comparison(env, result.policy, best);
      const standing = this.standing(env, result.policy);
      return [
        estimate(standing.score, 1000),
        estimate(standing.percent_better, 10),
        ...(bound ? [estimate(standing.percent_to_bound, 10)] : []),
        to ? park.number(to.difference) + " " + range(to.interval) : "",
        to ? estimate(to.better, 100) : "",
      ];
    });
  }

  /** A row for each policy. */
  policyTable(kind, env, head, cellsOf) {
    const named = (result) => {
      const failed = this.failed(result);
      return (result.baseline ? "" : "+ ") + result.title + (failed > 0 ? " (" + failed + " failed)" : "");
    };
    const best = (i, result) => kind === "metrics" && i < env.metrics.length && this.isBest(env, i, result);
    const rows = env.listed.map((result) =>
      park.element(
        "tr",
        null,
        park.element("th", { scope: "row", class: "text policy" }, named(result)),
        cellsOf(result).map((cell, i) => park.element("td", { class: best(i, result) ? "best" : null }, cell)),
      ),
    );
    const titles = ["policy", ...head].map((text) => park.element("th", { scope: "col" }, text));
    return park.element(
      "table",
      { class: kind },
      park.element("thead", null, park.element("tr", null, titles)),
      park.element("tbody", null, rows),
    );
  }

  isBest(env, m, result) {
    const { name, better } = env.metrics[m];
    const known = env.listed.map((one) => one.metrics[name].mean).filter((mean) => mean !== null);
    return result.metrics[name].mean === Math[better === "lower" ? "min" : "max"](...known);
  }

  // Charts.

  /** The agents that were trained in all environments; in a suite without agents, the policies that
   * have a score in each of them. */
  everywhere() {
    if (this.agents)
      return this.results.agents.scores
        .filter(({ everywhere }) => everywhere)
        .map((score) => ({ ...score, name: score.agent }));
    return this.results.scores
      .filter(({ environments }) => environments.length === this.results.scales.length)
      .map((score) => ({ ...score, name: score.policy }));
  }

  /** The scores over environments, best first. */
  drawOverall() {
    const scores = this.everywhere().sort((a, b) => (b.iqm.value ?? 0) - (a.iqm.value ?? 0));
    const what = this.agents ? "agents" : "policies";
    const sample = this.agents ? "trainings" : "episodes";
    park.find("overall").hidden = scores.length === 0;
    if (scores.length === 0) return;
    const charts = park.find("overall-charts");
    park.figure(charts, {
      name: "scores",
      caption: "Interquartile mean of the scores of " + what + " that played all environments",
      height: () => 70 + 24 * scores.length,
      option: (width) =>
        park.report.bars(
          scores.map(({ name, iqm }) => ({ name, value: iqm.value, interval: iqm.bootstrap95 })),
          "score",
          width,
        ),
    });
    park.figure(charts, {
      name: "profiles",
      caption: "Performance profiles: share of the " + sample + " with a score above a limit",
      height: park.report.heightOfLines(scores.map(({ name }) => name)),
      option: (width) => park.report.profiles(scores, this.results.profile_limits, sample, width),
    });
  }

  drawEnv(env, timelines, learning) {
    const charts = park.element("div", { class: "charts" });
    const wide = park.element("div", { class: "charts" });
    park
      .find("environments")
      .append(park.element("section", { id: env.id }, park.element("h2", null, env.name), charts, wide));
    if (env.results.length === 0)
      return charts.append(park.element("p", { class: "muted" }, "No episode was finished."));
    this.drawFigures(env, charts);
    const curves = learning.filter(({ env: name }) => name === env.name);
    if (curves.length > 0)
      park.figure(charts, {
        name: env.id + "-learning",
        caption: "Validations during training",
        height: park.report.heightOfLines(curves.map(({ policy }) => policy)),
        option: (width) => park.report.learning(curves, width),
      });
    const shown = timelines.filter(({ env: name, timelines: some }) => name === env.name && some.length > 0);
    for (const data of shown.filter(({ stages }) => !stages))
      this.drawTimeline(data, wide, {
        name: env.id + "-timeline",
        caption: "The same episode under several policies, on one time axis",
      });
    shown.filter(({ stages }) => stages).forEach((data, i) => this.drawStages(env, data, wide, i));
  }

  /** What was kept during a training, called by its iteration, and at last the policy itself. */
  drawStages(env, data, charts, i) {
    const policy = data.timelines[data.timelines.length - 1].policy;
    const called = (path) => {
      const iteration = path.match(/(\d+)$/);
      return path === policy || !iteration ? path : "iteration " + Number(iteration[1]);
    };
    const timelines = data.timelines.map((one) => ({ ...one, policy: called(one.policy) }));
    this.drawTimeline({ ...data, timelines }, charts, {
      name: env.id + "-timeline-stages-" + i,
      caption: "The same episode at stages of the training of " + policy + ", on one time axis",
    });
  }

  drawFigures(env, charts) {
    const name = park.report.named(env.metric);
    park.figure(charts, {
      name: env.id + "-bars",
      caption: name + ", " + env.metric.better + " is better",
      height: () => 70 + 24 * env.results.length,
      option: (width) =>
        park.report.bars(
          env.results.map(({ title, metrics }) => ({
            name: title,
            value: metrics[env.metric.name].mean,
            interval: metrics[env.metric.name].mean_bootstrap95,
          })),
          name,
          width,
        ),
    });
    park.figure(charts, {
      name: env.id + "-cdf",
      caption: "Distribution of " + env.metric.name + " over episodes",
      height: park.report.heightOfLines(env.results.map(({ title }) => title)),
      option: (width) => park.report.cdf(env, width),
    });
    this.drawScatter(env, charts);
    this.drawTrade(env, charts);
  }

  /** The best baseline against the best other policy, until somebody chooses. */
  drawScatter(env, charts) {
    const base =
      env.results.find(({ policy }) => env.scale && policy === env.scale.one_policy) || env.results[0];
    const others = env.results.filter((result) => result !== base);
    if (others.length === 0) return;
    let other = others[0];
    const figure = park.figure(charts, {
      name: env.id + "-paired",
      caption: "The same episodes under two policies, by " + env.metric.name,
      height: () => 320,
      option: () => park.report.scatter(env, base, other),
    });
    const choose = (event) => {
      other = others[Number(event.target.value)];
      figure.chart.setOption(figure.option(), { notMerge: true });
    };
    const select = park.element(
      "select",
      { onchange: choose, "aria-label": "policy of the vertical axis" },
      others.map(({ title }, i) => park.element("option", { value: i }, title)),
    );
    figure.element.before(select);
  }

  /** Two metrics against each other, the second and the third one until somebody chooses. */
  drawTrade(env, charts) {
    const metrics = env.metrics;
    if (metrics.length < 2) return;
    const chosen = metrics.length > 2 ? [metrics[2], metrics[1]] : [metrics[1], metrics[0]];
    const figure = park.figure(charts, {
      name: env.id + "-trade",
      caption: "Two metrics: means, and ellipses of one standard deviation over episodes",
      height: park.report.heightOfLines(env.results.map(({ title }) => title)),
      option: (width) => park.report.trade(env, chosen[0], chosen[1], width),
    });
    const select = (axis, label) => {
      const choose = (event) => {
        chosen[axis] = metrics[Number(event.target.value)];
        figure.chart.setOption(figure.option(figure.element.clientWidth), { notMerge: true });
      };
      const options = metrics.map((metric, i) =>
        park.element("option", { value: i, ...(metric === chosen[axis] ? { selected: "" } : {}) }, metric.name),
      );
      return park.element("select", { onchange: choose, "aria-label": label }, options);
    };
    figure.element.before(select(0, "metric of the horizontal axis"), select(1, "metric of the vertical axis"));
  }

  drawTimeline(data, charts, { name, caption }) {
    const models = park.timelineModels(data.timelines);
    const screen = new park.TimelineView(data, models, { wheel: false }); // the wheel is for the page
    const paper = new park.TimelineView(data, models, { paper: true });
    const drawn = (view) => ({
      height: (width) => view.at(width).height,
      option: (width) => view.at(width).option(),
    });
    const figure = park.figure(charts, {
      name,
      caption,
      wide: true,
      ...drawn(screen),
      paper: drawn(paper),
    });
    figure.element.before(park.element("ul", { class: "legend" }, park.timelineLegend(models)));
    figure.chart.on("datazoom", ({ start, end }) => {
      screen.range = { from: (start / 100) * screen.endS, to: (end / 100) * screen.endS };
      paper.range = screen.range;
    });
  }
};

park.setUpTheme();
park.setUpPrint();
park.registerShapes();
park.page = new park.ReportPage(park.data);
park.tellReady(...park.figures.map(({ chart }) => chart));
