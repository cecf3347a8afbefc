// The timeline page: panels of series and lanes of every policy on one time axis.
"use strict";

park.TimelinePage = class {
  static SIDES = { left: 104, right: 26 };

  constructor(data) {
    this.data = data;
    this.models = data.timelines.map((timeline, i) => new park.TimelineModel(timeline, i));
    this.endS = Math.max(1e-9, ...this.models.map((model) => model.endS));
    this.range = { from: 0, to: this.endS };
    this.lit = null;      // {jobs: Set, stage}: what is highlighted, or nothing
    this.found = null;    // job numbers of the search
    this.job = null;      // the chosen job's number
    this.pinned = null;   // a time that was clicked
    this.describe();
    if (this.models.length === 0) return this.showEmpty("No episode was finished: there is nothing to show.");
    park.registerShapes();
    this.panels = this.layout();
    const canvas = park.find("canvas");
    canvas.style.height = this.height + "px";
    const { chart, draw } = park.chart(canvas, () => this.option());
    this.chart = chart;
    this.draw = draw;
    this.setUpSide();
    this.setUpRange();
    this.setUpPointer();
    this.setUpKeys();
    park.themed.push(() => this.panel.refresh());
    if (this.models.every((model) => model.rows.length === 0)) this.showEmpty("No lane was occupied in this episode.");
  }

  // What stands around the chart.

  describe() {
    const { env, seed, timelines, metrics } = this.data;
    const name = env.split("(")[0];
    const first = timelines[0];
    park.find("title").textContent = name + (first ? ": timeline of episode " + first.episode : ": timeline");
    park.find("env").textContent = env;
    park.find("about").textContent = !first ? "" :
      "Seed " + seed + ". Every policy plays the same episode; shown is the first of " +
      (first.episodes === 1 ? "1." : park.number(first.episodes) + ".");
    if (first) this.showMetrics(metrics, timelines);
    park.find("summary").hidden = !first;
    park.find("legend").replaceChildren(...this.legend());
  }

  showMetrics(metrics, timelines) {
    const best = (metric, values) => {
      const known = values.filter((value) => value !== null);
      return known.length > 1 ? Math[metric.better === "lower" ? "min" : "max"](...known) : null;
    };
    const cell = (metric, value, wins) => park.element("td", { class: value !== null && value === wins ? "best" : null },
      park.number(value));
    const part = (key) => metrics.map((metric) => {
      const values = timelines.map((one) => one[key][metric.name]);
      const wins = best(metric, values);
      return values.map((value) => cell(metric, value, wins));
    });
    const shown = part("metrics");
    const means = part("means");
    const several = timelines[0].episodes > 1;
    const rows = metrics.map((metric, m) => park.element("tr", { title: metric.doc },
      park.element("td", null, metric.name), park.element("td", { class: "text muted" }, metric.unit === "1" ? "" : metric.unit),
      shown[m], several ? means[m] : []));
    const policies = timelines.map((one) => park.element("th", { scope: "col" }, one.policy));
    const span = (text) => park.element("th", { scope: "colgroup", colspan: timelines.length }, text);
    const head = [
      park.element("tr", null, park.element("th", { colspan: 2 }), span("this episode"),
        several ? span("mean of " + park.number(timelines[0].episodes) + " episodes") : null),
      park.element("tr", null, park.element("th", null, "metric"), park.element("th", { class: "text" }, "unit"), policies,
        several ? policies.map((th) => th.cloneNode(true)) : []),
    ];
    park.find("metrics").replaceChildren(park.element("table", null, park.element("thead", null, head),
      park.element("tbody", null, rows)));
  }

  legend() {
    const item = (swatch, text) => park.element("li", null, swatch, text);
    const swatch = (style, more) => park.element("span", { class: "swatch" + (more || ""), style });
    const sign = (text) => park.element("span", { "aria-hidden": "true" }, text);
    const some = (test) => this.models.some(test);
    const items = [];
    if (some((model) => model.hasJobs)) {
      const colors = park.palette.slice(0, 5).map((color, i) => color + " " + i * 20 + "% " + (i + 1) * 20 + "%").join(",");
      items.push(item(swatch("width:30px;background:linear-gradient(90deg," + colors + ")"), "busy, coloured by job"));
      const overhead = new Set();
      for (const model of this.models) model.job.forEach((job, i) => job < 0 && overhead.add(model.whatOf(i)));
      for (const what of overhead) items.push(item(swatch("", " hatched"), what));
    }
    if (some((model) => model.rows.length > 0)) items.push(item(swatch("background:var(--track)"), "idle"));
    if (some((model) => model.ofRow.size > 0)) {
      const names = new Set(this.models.flatMap((model) => [...model.ofRow.values()].map(({ name }) => name)));
      const most = Math.max(...this.models.map((model) => model.rowMax));
      for (const name of names) items.push(item(swatch("background:var(--area)"), name + " (a full lane: " + park.number(most) + ")"));
    }
    const whats = new Set(this.models.flatMap((model) => model.file.points.what.map((what) => model.file.whats[what])));
    if (whats.has("arrival")) items.push(item(sign("\u25bc"), "arrival"));
    if (whats.has("completion")) items.push(item(sign("\u25b2"), "completion"));
    return items;
  }

  showEmpty(text) {
    park.find("empty").textContent = text;
    park.find("empty").hidden = false;
    if (this.models.length > 0) return;
    for (const id of ["chart", "side", "legend"]) park.find(id).hidden = true;
    document.querySelector(".toolbar").hidden = true;
  }

  // Panels from top to bottom: the slider, a panel per series, and for each policy its points and lanes.

  layout() {
    const panels = [];
    let top = 54;
    const add = (panel) => {
      panels.push({ ...panel, top });
      top += panel.height;
    };
    this.seriesNames = [...new Set(this.models.flatMap((model) => model.global.map(({ name }) => name)))];
    for (const name of this.seriesNames) {
      top += 26;
      add({ kind: "series", name, height: 92 });
      top += 26;
    }
    const most = Math.max(...this.models.map((one) => one.rows.length));
    this.maxRow = Math.max(...this.models.map((model) => model.rowMax));
    for (const model of this.models) {
      model.rowMax = this.maxRow;  // all policies on one scale
      const queue = model.ofRow.size > 0;
      const rowHeight = Math.min(queue ? 40 : 18, Math.max(queue ? 14 : 3, (queue ? 460 : 380) / most, 1200 / most > 3 ? 0 : 1200 / most));
      top += 30;
      if (model.pointLanes.length > 0) add({ kind: "points", model, height: 24 });
      add({ kind: "lanes", model, height: Math.max(24, Math.min(4000, Math.round(rowHeight * model.rows.length))) });
      top += 28;
    }
    this.height = top + 4;
    return panels;
  }

  option() {
    const { left, right } = park.TimelinePage.SIDES;
    const parts = this.panels.map((panel, i) => this.panelOption(panel, i));
    const time = (value) => park.number(value) + " s";
    const axes = parts.map((_, i) => i);
    const muted = park.color("muted");
    const zoom = { xAxisIndex: axes, filterMode: "none", startValue: this.range.from, endValue: this.range.to,
      minValueSpan: Math.max(1e-6, this.endS * 1e-6), throttle: 0 };
    return {
      ...park.baseOption(),
      title: parts.flatMap((part) => part.title || []),
      grid: this.panels.map(({ top, height }) => ({ left, right, top, height })),
      xAxis: parts.map((part) => part.xAxis),
      yAxis: parts.map((part) => part.yAxis),
      dataZoom: [
        { type: "inside", id: "inside", ...zoom, zoomOnMouseWheel: true, moveOnMouseMove: true },
        { type: "slider", id: "slider", ...zoom, left, right, top: 8, height: 30, labelFormatter: time, brushSelect: false, showDataShadow: false,
          borderColor: park.color("line"), textStyle: { color: muted, fontSize: 11 } },
      ],
      series: parts.flatMap((part) => part.series),
    };
  }

  panelOption(panel, axis) {
    if (panel.kind === "series") return this.seriesPanel(panel, axis);
    return panel.kind === "points" ? this.pointsPanel(panel, axis) : this.lanesPanel(panel, axis);
  }

  timeAxis(axis, shown) {
    return park.axis({
      type: "value", gridIndex: axis, min: 0, max: this.endS, show: shown,
      axisLabel: { formatter: (value) => park.number(value) + " s", showMaxLabel: false },
      splitLine: { show: shown },
    });
  }

  heading(text, top, more) {
    return { text, left: park.TimelinePage.SIDES.left, top, padding: 0,
      textStyle: { color: park.color("text"), fontSize: 13, fontWeight: 600,
        rich: { muted: { color: park.color("muted"), fontSize: 12, fontWeight: 400 }, ...more } } };
  }

  seriesPanel({ name, top }, axis) {
    const rich = {};
    let text = name;
    const series = this.models.flatMap((model) => {
      const one = model.global.find((candidate) => candidate.name === name);
      if (!one) return [];
      const style = park.lineStyle(model.index);
      rich["policy" + model.index] = { color: style.color, fontSize: 12, fontWeight: 700 };
      text += "   {policy" + model.index + "|" + ["\u2501", "\u254d", "\u22ef", "\u2504"][model.index % 4] + "} {muted|" + model.policy + "}";
      const data = one.time_s.map((time, i) => [time, one.value[i]]);
      if (data.length > 0) data.push([Math.max(model.endS, data[data.length - 1][0]), data[data.length - 1][1]]);
      return [{ type: "line", name: model.policy, xAxisIndex: axis, yAxisIndex: axis, data, step: "end", symbol: "none",
        lineStyle: style, itemStyle: { color: style.color }, silent: true, z: 3 }];
    });
    return {
      title: [this.heading(text, top - 22, rich)],
      xAxis: this.timeAxis(axis, true),
      yAxis: park.axis({ type: "value", gridIndex: axis, min: 0, splitNumber: 3, splitLine: { show: true },
        axisLabel: { formatter: park.number } }),
      series,
    };
  }

  pointsPanel({ model, top }, axis) {
    const rest = model.pointLanes.length === 1 ? model.pointLanes[0] : "points";
    return {
      title: [this.policyHeading(model, top)],
      xAxis: this.timeAxis(axis, false),
      yAxis: park.axis({ type: "category", gridIndex: axis, data: [rest], axisTick: { show: false }, axisLine: { show: false } }),
      series: [park.groupSeries({
        name: "points " + model.policy, axis, shape: "parkTriangles", top, rowHeight: 24, z: 4, clip: false,
        count: 2 * (park.palette.length + 1),
        groups: (view) => park.pointMarks(model, view, (job) => this.isLitJob(job)),
        style: (g) => this.fill(g),
      })],
    };
  }

  policyHeading(model, top) {
    const figures = this.data.metrics.slice(0, 3).map(({ name, unit }) =>
      name + " " + park.quantity(name, model.file.metrics[name], unit)).join("   ");
    return this.heading(model.policy + "   {muted|" + figures + "}", top - 22);
  }

  lanesPanel({ model, top, height }, axis) {
    const rowHeight = height / Math.max(1, model.rows.length);
    const alone = model.pointLanes.length === 0;
    const areas = { fill: park.color("area") };
    const track = { fill: park.color("track") };
    const series = [park.groupSeries({
      name: "idle " + model.policy, axis, shape: "parkRects", top, rowHeight, z: 2, count: 1,
      groups: (view) => [park.idleTracks(model, view)], style: () => track,
    }), park.groupSeries({
      name: "lanes " + model.policy, axis, shape: "parkRects", top, rowHeight, z: 4,
      count: 2 * (park.palette.length + 1),
      groups: (view) => new park.SpanPainter(model, view, (i) => this.isLit(model, i)).paint(),
      style: (g) => this.fill(g),
    })];
    if (model.ofRow.size > 0) {
      series.unshift(park.groupSeries({
        name: "queues " + model.policy, axis, shape: "parkAreas", top, rowHeight, z: 3, count: 1,
        groups: (view) => [park.queueAreas(model, view)], style: () => areas,
      }));
    }
    return {
      title: alone ? [this.policyHeading(model, top)] : [],
      xAxis: this.timeAxis(axis, true),
      yAxis: park.axis({
        type: "category", gridIndex: axis, data: model.rows.length ? model.rows : [""], inverse: true,
        axisTick: { show: false }, axisLabel: { width: 92, overflow: "truncate" },
      }),
      series,
    };
  }

  /** The style of a group of spans: its colour, pale where others are highlighted. */
  fill(g) {
    const colors = park.palette.length + 1;
    const color = g % colors;
    if (color === 0 || !this.hatch || this.hatchDark !== park.dark()) {
      this.hatchDark = park.dark();
      this.hatch = this.hatch && color !== 0 ? this.hatch : park.stripes();
    }
    return { fill: color === colors - 1 ? this.hatch : park.palette[color], opacity: g < colors ? 1 : 0.13 };
  }

  isLit(model, i) {
    if (this.lit === null) return true;
    if (!this.lit.jobs.has(model.job[i])) return false;
    return this.lit.stage === null || model.args.stage[i] === this.lit.stage;
  }

  isLitJob(job) {
    return this.lit === null || this.lit.jobs.has(job);
  }

  /** The same range again, with other highlights. */
  redraw() {
    this.zoomTo(this.range.from, this.range.to);
  }

  // Choosing jobs and stages.

  setUpSide() {
    this.panel = new park.JobPanel(this.models, {
      close: () => this.chooseJob(null),
      policy: (model) => this.chooseJob(this.job, model),
      stage: (stage) => this.highlight(stage),
    });
    this.list = new park.JobList(this.models, {
      choose: (number) => this.chooseJob(number),
      search: (numbers) => {
        this.found = numbers;
        this.highlight(null);
      },
    });
    park.find("side").hidden = this.list.jobs.length === 0;
    if (this.list.jobs.length === 0) document.querySelector(".columns").style.gridTemplateColumns = "minmax(0, 1fr)";
  }

  chooseJob(number, model) {
    this.job = number;
    const has = (one) => one.jobs.has(number);
    this.panel.show(number, number === null ? null : model && has(model) ? model : this.models.find(has), this.pinned);
    this.list.mark(number);
    this.highlight(null);
  }

  highlight(stage) {
    if (this.job !== null) this.lit = { jobs: new Set([this.job]), stage };
    else if (this.found !== null) this.lit = { jobs: this.found, stage: null };
    else this.lit = null;
    this.redraw();
  }

  // The range of time.

  setUpRange() {
    const on = (id, action) => park.find(id).addEventListener("click", action);
    on("zoom-in", () => this.zoomBy(1 / 1.6));
    on("zoom-out", () => this.zoomBy(1.6));
    on("earlier", () => this.moveBy(-0.25));
    on("later", () => this.moveBy(0.25));
    on("reset", () => this.zoomTo(0, this.endS));
    for (const id of ["from", "to"]) {
      park.find(id).addEventListener("change", () => {
        const [from, to] = ["from", "to"].map((end) => Number(park.find(end).value.replace(",", ".")));
        if (Number.isFinite(from) && Number.isFinite(to) && to > from) this.zoomTo(from, to);
        else this.showRange();
      });
    }
    this.chart.on("datazoom", (event) => {
      const { start, end, startValue, endValue } = event.batch ? event.batch[0] : event;
      if (startValue !== undefined) this.range = { from: startValue, to: endValue };
      else this.range = { from: (start / 100) * this.endS, to: (end / 100) * this.endS };
      this.showRange();
    });
    this.showRange();
  }

  zoomTo(from, to) {
    const span = Math.min(Math.max(to - from, this.endS * 1e-6, 1e-6), this.endS);
    const start = Math.min(Math.max(from, 0), this.endS - span);
    this.chart.dispatchAction({ type: "dataZoom", dataZoomId: "inside", startValue: start, endValue: start + span });
  }

  zoomBy(factor) {
    const middle = (this.range.from + this.range.to) / 2;
    const half = ((this.range.to - this.range.from) / 2) * factor;
    this.zoomTo(middle - half, middle + half);
  }

  moveBy(share) {
    const step = (this.range.to - this.range.from) * share;
    this.zoomTo(this.range.from + step, this.range.to + step);
  }

  showRange() {
    const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(this.range.to - this.range.from))));
    park.find("from").value = Number(this.range.from.toFixed(digits));
    park.find("to").value = Number(this.range.to.toFixed(digits));
    this.placePin();
    this.hover(null);
  }

  setUpKeys() {
    const keys = {
      "+": () => this.zoomBy(1 / 1.6), "=": () => this.zoomBy(1 / 1.6), "-": () => this.zoomBy(1.6),
      ArrowLeft: () => this.moveBy(-0.25), ArrowRight: () => this.moveBy(0.25),
      0: () => this.zoomTo(0, this.endS), Home: () => this.zoomTo(0, this.endS),
      "/": () => park.find("search").focus(),
    };
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return this.clear();
      const typing = event.target.closest("input, select, textarea");
      if (typing || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });
  }

  clear() {
    this.pinned = null;
    this.found = null;
    this.placePin();
    this.list.clear();
    this.chooseJob(null);
  }

  // The pointer: what is under it, clicks, and the choice of a range.

  setUpPointer() {
    const zr = this.chart.getZr();
    zr.on("mousemove", (event) => this.hover(this.locate(event.offsetX, event.offsetY), event.event));
    zr.on("globalout", () => this.hover(null));
    zr.on("click", (event) => this.click(this.locate(event.offsetX, event.offsetY)));
    this.setUpSelection(park.find("canvas"));
  }

  get plot() {
    const { left, right } = park.TimelinePage.SIDES;
    return { left, width: this.chart.getWidth() - left - right };
  }

  xOf(time) {
    return this.plot.left + ((time - this.range.from) / (this.range.to - this.range.from)) * this.plot.width;
  }

  timeOf(x) {
    return this.range.from + ((x - this.plot.left) / this.plot.width) * (this.range.to - this.range.from);
  }

  /** The panel, time and span at a position in the chart; null outside of all panels. */
  locate(x, y) {
    const { left, width } = this.plot;
    const panel = this.panels.find(({ top, height }) => y >= top && y < top + height);
    if (!panel || x < left || x > left + width) return null;
    const time = this.timeOf(x);
    const place = { panel, time, x, y, span: -1, row: -1 };
    if (panel.kind === "lanes" && panel.model.rows.length > 0) {
      place.row = Math.floor(((y - panel.top) / panel.height) * panel.model.rows.length);
      place.span = panel.model.spanAt(place.row, time, (2 / width) * (this.range.to - this.range.from));
    }
    return place;
  }

  hover(place, event) {
    const tip = park.find("tip");
    const line = park.find("crosshair");
    const outline = park.find("outline");
    line.style.visibility = place ? "visible" : "hidden";
    outline.style.visibility = "hidden";
    tip.hidden = !place;
    if (!place) return;
    line.style.cssText = "visibility:visible;height:" + (this.height - 54) + "px;transform:translate(" + Math.round(place.x) + "px,54px)";
    if (place.span >= 0) this.outline(outline, place);
    tip.replaceChildren(...this.tipOf(place));
    const { innerWidth, innerHeight } = window;
    const right = event.clientX + 16 + tip.offsetWidth > innerWidth;
    const low = event.clientY + 16 + tip.offsetHeight > innerHeight;
    tip.style.left = Math.max(4, event.clientX + (right ? -14 - tip.offsetWidth : 16)) + "px";
    tip.style.top = Math.max(4, event.clientY + (low ? -14 - tip.offsetHeight : 16)) + "px";
  }

  outline(element, { panel, span, row }) {
    const { model, top, height } = panel;
    const { left, width } = this.plot;
    const x0 = Math.max(left, this.xOf(model.start[span]));
    const x1 = Math.min(left + width, this.xOf(model.end[span]));
    const rowHeight = height / model.rows.length;
    element.style.cssText = "visibility:visible;width:" + Math.max(3, x1 - x0) + "px;height:" + Math.max(4, rowHeight) +
      "px;transform:translate(" + x0 + "px," + (top + row * rowHeight) + "px)";
  }

  tipOf(place) {
    const { panel, time } = place;
    const list = (pairs) => park.element("dl", null, pairs.map(([name, value]) =>
      [park.element("dt", null, name), park.element("dd", null, value)]));
    const title = (text) => park.element("b", null, text);
    if (panel.kind === "series") {
      return [title(panel.name), list([["time", park.seconds(time)], ...this.models.map((model) => {
        const series = model.global.find(({ name }) => name === panel.name);
        return [model.policy, park.number(series ? park.TimelineModel.valueAt(series, time) : null)];
      })])];
    }
    if (panel.kind === "points") return this.pointTip(place, title, list);
    const { model } = panel;
    const lane = model.rows[place.row];
    const series = model.ofRow.get(place.row);
    const queue = series ? [[series.name, park.number(park.TimelineModel.valueAt(series, time))]] : [];
    if (place.span < 0) return [title(lane + ": idle"), list([["time", park.seconds(time)], ...queue])];
    const i = place.span;
    return [title(model.whatOf(i)), list([...model.argsOf(i), ["start", park.seconds(model.start[i])],
      ["end", park.seconds(model.end[i])], ["duration", park.seconds(model.end[i] - model.start[i])], ["lane", lane], ...queue])];
  }

  /** The points within a few pixels. */
  pointTip({ panel, time }, title, list) {
    const { points, whats } = panel.model.file;
    const near = (5 / this.plot.width) * (this.range.to - this.range.from);
    const found = points.time_s.map((at, i) => i).filter((i) => Math.abs(points.time_s[i] - time) <= near);
    const shown = found.slice(0, 6).flatMap((i) => {
      const args = Object.entries(points.args).filter(([, values]) => values[i] !== null)
        .map(([name, values]) => [park.label(name), panel.model.argText(name, values[i])]);
      const job = panel.model.jobs.get(points.args.job ? points.args.job[i] : null);
      return [title(whats[points.what[i]] + (job ? ": " + job.name : "")), list([["time", park.seconds(points.time_s[i])], ...args])];
    });
    if (found.length > 6) shown.push(park.element("div", { class: "muted" }, "and " + (found.length - 6) + " more"));
    return shown.length > 0 ? shown : [title(park.seconds(time))];
  }

  click(place) {
    if (!place) return;
    this.pinned = place.time;
    this.placePin();
    const model = place.panel.model;
    const job = place.span >= 0 ? model.job[place.span] : -1;
    if (job >= 0) this.chooseJob(job, model);
    else if (this.job !== null) {
      this.panel.time = this.pinned;
      this.panel.refresh();
    }
  }

  placePin() {
    const pin = park.find("pin");
    const x = this.pinned === null ? -1 : this.xOf(this.pinned);
    const seen = x >= this.plot.left && x <= this.plot.left + this.plot.width;
    pin.style.cssText = "visibility:" + (seen ? "visible" : "hidden") + ";height:" + (this.height - 54) + "px;transform:translate(" + x + "px,54px)";
  }

  /** Shift and drag: the chart does not hear of it. */
  setUpSelection(canvas) {
    const box = park.find("selection");
    let start = null;
    const place = (event) => Math.min(Math.max(event.clientX - canvas.getBoundingClientRect().left, this.plot.left),
      this.plot.left + this.plot.width);
    const begin = (event) => {
      if (!event.shiftKey || event.button !== 0) return;
      event.stopPropagation();
      event.preventDefault();
      start = place(event);
      this.hover(null);
    };
    canvas.addEventListener("pointerdown", begin, { capture: true });
    canvas.addEventListener("mousedown", begin, { capture: true });
    window.addEventListener("pointermove", (event) => {
      if (start === null) return;
      const x = place(event);
      box.style.cssText = "visibility:visible;height:" + (this.height - 54) + "px;width:" + Math.abs(x - start) +
        "px;transform:translate(" + Math.min(x, start) + "px,54px)";
    });
    window.addEventListener("pointerup", (event) => {
      if (start === null) return;
      const [from, to] = [start, place(event)].sort((a, b) => a - b).map((x) => this.timeOf(x));
      start = null;
      box.style.visibility = "hidden";
      if (this.xOf(to) - this.xOf(from) > 3) this.zoomTo(from, to);
    });
  }
};

park.setUpTheme();
park.page = new park.TimelinePage(park.data);
park.tellReady(park.page.chart);
