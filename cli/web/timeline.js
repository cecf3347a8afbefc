// The timeline page: charts on one time axis, what one does with them, and the side of the page.
"use strict";

park.TimelinePage = class {
  constructor(data) {
    this.data = data;
    this.models = park.timelineModels(data.timelines);
    this.found = null; // job numbers of the search
    this.job = null; // the chosen job's number
    this.pinned = null; // a time that was clicked
    this.facts = new park.TimelineFacts(data, this.models);
    if (this.models.length === 0) return this.showEmpty("No episode was finished: there is nothing to show.");
    park.registerShapes();
    this.view = new park.TimelineView(data, this.models);
    const canvas = park.find("canvas");
    const { chart, draw } = park.chart(
      canvas,
      (width) => this.view.at(width).option(),
      (width) => this.view.at(width).height,
    );
    this.chart = chart;
    this.draw = draw;
    this.setUpSide();
    this.setUpRange();
    this.setUpPointer();
    this.setUpKeys();
    park.themed.push(() => this.panel.refresh());
    if (this.models.every((model) => model.rows.length === 0))
      this.showEmpty("No lane was occupied in this episode.");
  }

  showEmpty(text) {
    park.find("empty").textContent = text;
    park.find("empty").hidden = false;
    if (this.models.length > 0) return;
    for (const id of ["chart", "side", "legend"]) park.find(id).hidden = true;
    document.querySelector(".toolbar").hidden = true;
  }

  /** The same range again, with other highlights. */
  redraw() {
    this.zoomTo(this.view.range.from, this.view.range.to);
  }

  // Choosing jobs and stages.

  setUpSide() {
    this.panel = new park.JobPanel(this.models, {
      close: () => this.chooseJob(null),
      policy: (model) => this.chooseJob(this.job, model),
      stage: (stage) => this.highlight(stage),
    });
    this.explained = new park.ExplainPanel(this.models, (time) => {
      this.pinned = time;
      this.placePin();
    });
    this.list = new park.JobList(this.models, {
      choose: (number) => this.chooseJob(number),
      search: (numbers) => {
        this.found = numbers;
        this.highlight(null);
      },
    });
    const jobs = this.list.jobs.length > 0;
    for (const id of ["search-box", "job"]) park.find(id).hidden = !jobs;
    park.find("side").hidden = !jobs && !this.explained.any;
    if (park.find("side").hidden)
      document.querySelector(".columns").style.gridTemplateColumns = "minmax(0, 1fr)";
  }

  chooseJob(number, model) {
    this.job = number;
    const has = (one) => one.jobs.has(number);
    this.panel.show(
      number,
      number === null ? null : model && has(model) ? model : this.models.find(has),
      this.pinned,
    );
    this.list.mark(number);
    this.highlight(null);
  }

  highlight(stage) {
    if (this.job !== null) this.view.lit = { jobs: new Set([this.job]), stage };
    else if (this.found !== null) this.view.lit = { jobs: this.found, stage: null };
    else this.view.lit = null;
    this.redraw();
  }

  // The range of time.

  setUpRange() {
    const on = (id, action) => park.find(id).addEventListener("click", action);
    on("zoom-in", () => this.zoomBy(1 / 1.6));
    on("zoom-out", () => this.zoomBy(1.6));
    on("earlier", () => this.moveBy(-0.25));
    on("later", () => this.moveBy(0.25));
    on("reset", () => this.zoomTo(0, this.view.endS));
    for (const id of ["from", "to"]) {
      park.find(id).addEventListener("change", () => {
        const [from, to] = ["from", "to"].map((end) => Number(park.find(end).value.replace(",", ".")));
        if (Number.isFinite(from) && Number.isFinite(to) && to > from) this.zoomTo(from, to);
        else this.showRange();
      });
    }
    this.chart.on("datazoom", (event) => {
      const { start, end, startValue, endValue } = event.batch ? event.batch[0] : event;
      if (startValue !== undefined) this.view.range = { from: startValue, to: endValue };
      else this.view.range = { from: (start / 100) * this.view.endS, to: (end / 100) * this.view.endS };
      this.showRange();
    });
    this.showRange();
  }

  zoomTo(from, to) {
    const span = Math.min(Math.max(to - from, this.view.endS * 1e-6, 1e-6), this.view.endS);
    const start = Math.min(Math.max(from, 0), this.view.endS - span);
    this.chart.dispatchAction({
      type: "dataZoom",
      dataZoomId: "inside",
      startValue: start,
      endValue: start + span,
    });
  }

  zoomBy(factor) {
    const middle = (this.view.range.from + this.view.range.to) / 2;
    const half = ((this.view.range.to - this.view.range.from) / 2) * factor;
    this.zoomTo(middle - half, middle + half);
  }

  moveBy(share) {
    const step = (this.view.range.to - this.view.range.from) * share;
    this.zoomTo(this.view.range.from + step, this.view.range.to + step);
  }

  showRange() {
    const digits = Math.max(
      0,
      Math.min(6, 3 - Math.floor(Math.log10(this.view.range.to - this.view.range.from))),
    );
    park.find("from").value = Number(this.view.range.from.toFixed(digits));
    park.find("to").value = Number(this.view.range.to.toFixed(digits));
    this.placePin();
    this.hover(null);
  }

  setUpKeys() {
    const keys = {
      "+": () => this.zoomBy(1 / 1.6),
      "=": () => this.zoomBy(1 / 1.6),
      "-": () => this.zoomBy(1.6),
      ArrowLeft: () => this.moveBy(-0.25),
      ArrowRight: () => this.moveBy(0.25),
      0: () => this.zoomTo(0, this.view.endS),
      Home: () => this.zoomTo(0, this.view.endS),
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
    this.explained.clear();
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
    const { left, right } = this.view.sides;
    return { left, width: this.chart.getWidth() - left - right };
  }

  xOf(time) {
    return (
      this.plot.left +
      ((time - this.view.range.from) / (this.view.range.to - this.view.range.from)) * this.plot.width
    );
  }

  timeOf(x) {
    return (
      this.view.range.from +
      ((x - this.plot.left) / this.plot.width) * (this.view.range.to - this.view.range.from)
    );
  }

  /** The panel, time and span at a position in the chart; null outside of all panels. */
  locate(x, y) {
    const { left, width } = this.plot;
    const panel = this.view.panels.find(({ top, height }) => y >= top && y < top + height);
    if (!panel || x < left || x > left + width) return null;
    const time = this.timeOf(x);
    const place = { panel, time, x, y, span: -1, row: -1 };
    if (panel.kind === "lanes" && panel.model.rows.length > 0) {
      place.row = Math.floor(((y - panel.top) / panel.height) * panel.model.rows.length);
      place.span = panel.model.spanAt(
        place.row,
        time,
        (2 / width) * (this.view.range.to - this.view.range.from),
      );
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
    this.place(line, { x: Math.round(place.x) });
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
    const x = Math.max(left, this.xOf(model.start[span]));
    const end = Math.min(left + width, this.xOf(model.end[span]));
    const rowHeight = height / model.rows.length;
    this.place(element, {
      x,
      width: Math.max(3, end - x),
      top: top + row * rowHeight,
      height: Math.max(4, rowHeight),
    });
  }

  /** Shows something over the chart, from the top of the panels to the bottom unless said otherwise. */
  place(element, { x, width, top = park.TimelineView.TOP, height = this.view.height - top }) {
    element.style.visibility = "visible";
    element.style.height = height + "px";
    if (width !== undefined) element.style.width = width + "px";
    element.style.transform = "translate(" + x + "px," + top + "px)";
  }

  tipOf(place) {
    const { panel, time } = place;
    const list = (pairs) =>
      park.element(
        "dl",
        null,
        pairs.map(([name, value]) => [park.element("dt", null, name), park.element("dd", null, value)]),
      );
    const title = (text) => park.element("b", null, text);
    if (panel.kind === "series") {
      return [
        title(panel.name),
        list([
          ["time", park.seconds(time)],
          ...this.models.map((model) => {
            const series = model.global.find(({ name }) => name === panel.name);
            return [model.policy, park.number(series ? park.TimelineModel.valueAt(series, time) : null)];
          }),
        ]),
      ];
    }
    if (panel.kind === "points") return this.pointTip(place, title, list);
    const { model } = panel;
    const lane = model.rows[place.row];
    const series = model.ofRow.get(place.row);
    const queue = series ? [[series.name, park.number(park.TimelineModel.valueAt(series, time))]] : [];
    if (place.span < 0) return [title(lane + ": idle"), list([["time", park.seconds(time)], ...queue])];
    const i = place.span;
    return [
      title(model.whatOf(i)),
      list([
        ...model.argsOf(i),
        ["start", park.seconds(model.start[i])],
        ["end", park.seconds(model.end[i])],
        ["duration", park.seconds(model.end[i] - model.start[i])],
        ["lane", lane],
        ...queue,
      ]),
    ];
  }

  /** The points within a few pixels. */
  pointTip({ panel, time }, title, list) {
    const { points, whats } = panel.model.file;
    const near = (5 / this.plot.width) * (this.view.range.to - this.view.range.from);
    const found = points.time_s.map((at, i) => i).filter((i) => Math.abs(points.time_s[i] - time) <= near);
    const shown = found.slice(0, 6).flatMap((i) => {
      const args = Object.entries(points.args)
        .filter(([, values]) => values[i] !== null)
        .map(([name, values]) => [park.label(name), panel.model.argText(name, values[i])]);
      const job = panel.model.jobs.get(points.args.job ? points.args.job[i] : null);
      return [
        title(whats[points.what[i]] + (job ? ": " + job.name : "")),
        list([["time", park.seconds(points.time_s[i])], ...args]),
      ];
    });
    if (found.length > 6)
      shown.push(park.element("div", { class: "muted" }, "and " + (found.length - 6) + " more"));
    return shown.length > 0 ? shown : [title(park.seconds(time))];
  }

  click(place) {
    if (!place) return;
    const model = place.panel.model;
    this.pinned = this.explained.any ? this.explained.nearest(model, place.time) : place.time;
    this.placePin();
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
    if (seen) this.place(pin, { x });
    else pin.style.visibility = "hidden";
  }

  /** Shift and drag: the chart does not hear of it. */
  setUpSelection(canvas) {
    const box = park.find("selection");
    let start = null;
    const place = (event) =>
      Math.min(
        Math.max(event.clientX - canvas.getBoundingClientRect().left, this.plot.left),
        this.plot.left + this.plot.width,
      );
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
      this.place(box, { x: Math.min(x, start), width: Math.abs(x - start) });
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
