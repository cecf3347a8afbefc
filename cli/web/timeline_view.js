// The charts of a timeline from top to bottom: the slider, a panel per series, and for each policy
// its points and lanes.
"use strict";

park.TimelineView = class {
  static TOP = 54; // below the slider
  static PAGE = 820; // what a page of paper has room for below a caption
  static LINE = 17; // of a heading

  /** wheel: it zooms; paper: without the slider, and not higher than a page. */
  constructor(data, models, { wheel = true, paper = false } = {}) {
    this.data = data;
    this.models = models;
    this.wheel = wheel;
    this.paper = paper;
    this.endS = Math.max(1e-9, ...models.map((model) => model.endS));
    this.range = { from: 0, to: this.endS };
    this.lit = null; // {jobs: Set, stage}: what is highlighted, or nothing
    this.seriesNames = [...new Set(models.flatMap((model) => model.global.map(({ name }) => name)))];
    const maxRow = Math.max(...models.map((model) => model.rowMax));
    for (const model of models) model.rowMax = maxRow; // all policies on one scale
    const longest = Math.max(0, ...models.flatMap((model) => model.rows.map((name) => name.length)));
    this.sides = { left: Math.min(220, Math.max(104, 12 + 6.5 * longest)), right: 26 }; // names of lanes
  }

  /** The view laid out for a width: `panels` and `height` are those of this width. */
  at(width) {
    this.width = width;
    this.layOut(1);
    const lanes = this.panels.filter(({ kind }) => kind === "lanes");
    const room = lanes.reduce((sum, { height }) => sum + height, 0);
    const excess = this.height - park.TimelineView.PAGE;
    if (this.paper && excess > 0) this.layOut(Math.max(0, 1 - excess / room));
    return this;
  }

  /** The panels from top to bottom; `share` is how much of their height the lanes have. */
  layOut(share) {
    this.panels = [];
    this.legendTop = this.paper ? 4 : park.TimelineView.TOP;
    let top = this.legendTop;
    const add = (panel) => {
      this.panels.push({ ...panel, top });
      top += panel.height;
    };
    if (this.seriesNames.length > 0) top += park.legendHeight(this.policies(), this.width);
    for (const name of this.seriesNames) {
      top += 26;
      add({ kind: "series", name, height: 92 });
      top += 26;
    }
    for (const model of this.models) {
      const heading = this.headingOf(model);
      top += 13 + park.TimelineView.LINE * heading.lines;
      if (model.pointLanes.length > 0) add({ kind: "points", model, heading, height: 24 });
      add({ kind: "lanes", model, heading, height: Math.max(24, Math.round(share * this.lanesHeight(model))) });
      top += 28;
    }
    this.height = top + 4;
  }

  lanesHeight(model) {
    const most = Math.max(...this.models.map((one) => one.rows.length));
    const queue = model.ofRow.size > 0;
    const rowHeight = Math.min(
      queue ? 40 : 18,
      Math.max(queue ? 14 : 3, (queue ? 460 : 380) / most, 1200 / most > 3 ? 0 : 1200 / most),
    );
    return Math.min(4000, rowHeight * model.rows.length);
  }

  policies() {
    return this.models.map(({ policy }) => policy);
  }

  option() {
    this.hatch = park.stripes(); // in the colours of the theme
    const { left, right } = this.sides;
    const parts = this.panels.map((panel, i) => this.panelOption(panel, i));
    const zoom = this.zoom(parts.map((_, i) => i));
    return {
      ...park.baseOption(),
      title: parts.flatMap((part) => part.title || []),
      legend: park.legend(this.policies(), {
        show: this.seriesNames.length > 0,
        top: this.legendTop,
        selectedMode: false,
      }),
      grid: this.panels.map(({ top, height }) => ({ left, right, top, height })),
      xAxis: parts.map((part) => part.xAxis),
      yAxis: parts.map((part) => part.yAxis),
      dataZoom: this.paper ? [] : zoom,
      series: parts.flatMap((part) => part.series),
    };
  }

  /** What changes the range of time of these axes. */
  zoom(axes) {
    const { left, right } = this.sides;
    const range = {
      xAxisIndex: axes,
      filterMode: "none",
      startValue: this.range.from,
      endValue: this.range.to,
      minValueSpan: Math.max(1e-6, this.endS * 1e-6),
      throttle: 0,
    };
    const inside = { type: "inside", id: "inside", ...range, zoomOnMouseWheel: true, moveOnMouseMove: true };
    const slider = {
      type: "slider",
      id: "slider",
      ...range,
      left,
      right,
      top: 8,
      height: 30,
      labelFormatter: (value) => park.number(value) + " s",
      brushSelect: false,
      showDataShadow: false,
      borderColor: park.color("line"),
      textStyle: { color: park.color("muted"), fontSize: 11 },
    };
    return this.wheel ? [inside, slider] : [slider];
  }

  panelOption(panel, axis) {
    if (panel.kind === "series") return this.seriesPanel(panel, axis);
    return panel.kind === "points" ? this.pointsPanel(panel, axis) : this.lanesPanel(panel, axis);
  }

  timeAxis(axis, shown) {
    return park.axis({
      type: "value",
      gridIndex: axis,
      min: this.paper ? this.range.from : 0,
      max: this.paper ? this.range.to : this.endS,
      show: shown,
      axisLabel: { formatter: (value) => park.number(value) + " s", showMaxLabel: false },
      splitLine: { show: shown },
    });
  }

  heading(text, top) {
    const lineHeight = park.TimelineView.LINE;
    return {
      text,
      left: 0,
      top,
      padding: 0,
      textStyle: {
        color: park.color("text"),
        fontSize: 13,
        fontWeight: 600,
        lineHeight,
        overflow: "truncate",
        width: this.width,
        rich: { muted: { color: park.color("muted"), fontSize: 12, fontWeight: 400, lineHeight } },
      },
    };
  }

  /** A policy and its figures, in as many lines as the width asks for. */
  headingOf(model) {
    const figures = this.data.metrics
      .slice(0, 3)
      .map(({ name, unit }) => name + " " + park.quantity(name, model.file.metrics[name], unit));
    const widths = [
      park.textWidth(model.policy, 13, 600),
      ...figures.map((figure) => park.textWidth(figure, 12)),
    ];
    const parts = [model.policy, ...figures.map((figure) => "{muted|" + figure + "}")];
    const rows = park.rows(widths, this.width, 14);
    return {
      text: rows.map((row) => row.map((i) => parts[i]).join("   ")).join("\n"),
      lines: rows.length,
    };
  }

  seriesPanel({ name, top }, axis) {
    const series = this.models.flatMap((model) => {
      const one = model.global.find((candidate) => candidate.name === name);
      if (!one) return [];
      const { color, line } = park.policyStyle(model.index);
      const data = one.time_s.map((time, i) => [time, one.value[i]]);
      if (data.length > 0)
        data.push([Math.max(model.endS, data[data.length - 1][0]), data[data.length - 1][1]]);
      return [
        {
          type: "line",
          name: model.policy,
          xAxisIndex: axis,
          yAxisIndex: axis,
          data,
          step: "end",
          symbol: "none",
          lineStyle: line,
          itemStyle: { color },
          silent: true,
          z: 3,
        },
      ];
    });
    return {
      title: [this.heading(name, top - 22)],
      xAxis: this.timeAxis(axis, true),
      yAxis: park.axis({
        type: "value",
        gridIndex: axis,
        min: (range) => Math.min(0, range.min),
        splitNumber: 3,
        splitLine: { show: true },
        axisLabel: { formatter: park.number },
      }),
      series,
    };
  }

  pointsPanel({ model, heading, top }, axis) {
    const rest = model.pointLanes.length === 1 ? model.pointLanes[0] : "points";
    return {
      title: [this.policyHeading(heading, top)],
      xAxis: this.timeAxis(axis, false),
      yAxis: park.axis({
        type: "category",
        gridIndex: axis,
        data: [rest],
        axisTick: { show: false },
        axisLine: { show: false },
      }),
      series: [
        park.groupSeries({
          name: "points " + model.policy,
          axis,
          shape: "parkTriangles",
          top,
          rowHeight: 24,
          z: 4,
          clip: false,
          count: 2 * (park.palette.length + 1),
          groups: (view) => park.pointMarks(model, view, (job) => this.isLitJob(job)),
          style: (g) => this.fill(g),
        }),
      ],
    };
  }

  policyHeading({ text, lines }, top) {
    return this.heading(text, top - 5 - park.TimelineView.LINE * lines);
  }

  lanesPanel({ model, heading, top, height }, axis) {
    const rowHeight = height / Math.max(1, model.rows.length);
    const alone = model.pointLanes.length === 0;
    const areas = { fill: park.color("area") };
    const track = { fill: park.color("track") };
    const series = [
      park.groupSeries({
        name: "idle " + model.policy,
        axis,
        shape: "parkRects",
        top,
        rowHeight,
        z: 2,
        count: 1,
        groups: (view) => [park.idleTracks(model, view)],
        style: () => track,
      }),
      park.groupSeries({
        name: "lanes " + model.policy,
        axis,
        shape: "parkRects",
        top,
        rowHeight,
        z: 4,
        count: 2 * (park.palette.length + 1),
        groups: (view) =>
          new park.SpanPainter(model, view, (i) => this.isLit(model, i), this.lit !== null).paint(),
        style: (g) => this.fill(g),
      }),
    ];
    if (model.ofRow.size > 0) {
      series.unshift(
        park.groupSeries({
          name: "queues " + model.policy,
          axis,
          shape: "parkAreas",
          top,
          rowHeight,
          z: 3,
          count: 1,
          groups: (view) => [park.queueAreas(model, view)],
          style: () => areas,
        }),
      );
    }
    return {
      title: alone ? [this.policyHeading(heading, top)] : [],
      xAxis: this.timeAxis(axis, true),
      yAxis: park.axis({
        type: "category",
        gridIndex: axis,
        data: model.rows.length ? model.rows : [""],
        inverse: true,
        axisTick: { show: false },
        axisLabel: { width: this.sides.left - 12, overflow: "truncate" },
      }),
      series,
    };
  }

  /** The style of a group of spans: its colour, pale where others are highlighted. */
  fill(g) {
    const colors = park.palette.length + 1;
    const color = g % colors;
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
};
