// What stands around the charts of a timeline: titles, the legend, and the table of metrics.
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
    park.find("legend").replaceChildren(...this.legend());
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

  legend() {
    const item = (swatch, text) => park.element("li", null, swatch, text);
    const swatch = (style, more) => park.element("span", { class: "swatch" + (more || ""), style });
    const sign = (text) => park.element("span", { "aria-hidden": "true" }, text);
    const some = (test) => this.models.some(test);
    const items = [];
    if (some((model) => model.hasJobs)) {
      const colors = park.palette
        .slice(0, 5)
        .map((color, i) => color + " " + i * 20 + "% " + (i + 1) * 20 + "%")
        .join(",");
      items.push(
        item(swatch("width:30px;background:linear-gradient(90deg," + colors + ")"), "busy, coloured by job"),
      );
      const overhead = new Set();
      for (const model of this.models)
        model.job.forEach((job, i) => job < 0 && overhead.add(model.whatOf(i)));
      for (const what of overhead) items.push(item(swatch("", " hatched"), what));
    }
    if (some((model) => model.rows.length > 0)) items.push(item(swatch("background:var(--track)"), "idle"));
    if (some((model) => model.ofRow.size > 0)) {
      const names = new Set(
        this.models.flatMap((model) => [...model.ofRow.values()].map(({ name }) => name)),
      );
      const most = Math.max(...this.models.map((model) => model.rowMax));
      for (const name of names)
        items.push(
          item(swatch("background:var(--area)"), name + " (a full lane: " + park.number(most) + ")"),
        );
    }
    const whats = new Set(
      this.models.flatMap((model) => model.file.points.what.map((what) => model.file.whats[what])),
    );
    if (whats.has("arrival")) items.push(item(sign("\u25bc"), "arrival"));
    if (whats.has("completion")) items.push(item(sign("\u25b2"), "completion"));
    return items;
  }
};
