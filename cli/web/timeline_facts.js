// What stands around the charts of a timeline: titles and the table of metrics.
"use strict";

park.TimelineFacts = class {
  constructor(data, models) {
    this.data = data;
    this.models = models;
    this.describe();
  }

  describe() {
    const { env, seed, timelines, metrics } = this.data;
    const name = env.split("(")[0];
    const first = timelines[0];
    park.find("title").textContent = name + (first ? ": timeline of episode " + first.episode : ": timeline");
    park.find("env").textContent = env;
    if (first) {
      const count = first.episodes > 1 ? "; shown is the first of " + park.number(first.episodes) : "";
      park.find("about").textContent = "Seed " + seed + ". Every policy plays the same episode" + count + ".";
    }
    if (first) this.showMetrics(metrics, timelines);
    park.find("summary").hidden = !first;
    park.find("legend").replaceChildren(...park.timelineLegend(this.models));
  }

  showMetrics(metrics, timelines) {
    const best = (metric, values) => {
      const known = values.filter((value) => value !== null);
      return known.length > 1 ? Math[metric.better === "lower" ? "min" : "max"](...known) : null;
    };
    const cell = (metric, value, wins) =>
      park.element("td", { class: value !== null && value === wins ? "best" : null }, park.number(value));
    const part = (key) =>
      metrics.map((metric) => {
        const values = timelines.map((one) => one[key][metric.name]);
        const wins = best(metric, values);
        return values.map((value) => cell(metric, value, wins));
      });
    const shown = part("metrics");
    const means = part("means");
    const several = timelines[0].episodes > 1;
    const rows = metrics.map((metric, m) =>
      park.element(
        "tr",
        { title: metric.doc },
        park.element("td", null, metric.name),
        park.element("td", { class: "text muted" }, metric.unit === "1" ? "" : metric.unit),
        shown[m],
        several ? means[m] : [],
      ),
    );
    const policies = timelines.map((one) => park.element("th", { scope: "col" }, one.policy));
    const span = (text) => park.element("th", { scope: "colgroup", colspan: timelines.length }, text);
    const head = [
      park.element(
        "tr",
        null,
        park.element("th", { colspan: 2 }),
        span("this episode"),
        several ? span("mean of " + park.number(timelines[0].episodes) + " episodes") : null,
      ),
      park.element(
        "tr",
        null,
        park.element("th", null, "metric"),
        park.element("th", { class: "text" }, "unit"),
        policies,
        several ? policies.map((th) => th.cloneNode(true)) : [],
      ),
    ];
    park
      .find("metrics")
      .replaceChildren(
        park.element("table", null, park.element("thead", null, head), park.element("tbody", null, rows)),
      );
  }
};
