// The charts of a timeline from top to bottom: the slider, a panel per series, and for each policy
// its points and lanes.
"use strict";

park.TimelineView = class {
  static SIDES = { left: 104, right: 26 };
  static TOP = 54; // below the slider

  /** element: the one that the chart is drawn in. */
  constructor(data, models, element = park.find("canvas")) {
    this.data = data;
    this.element = element;
    this.models = models;
    this.endS = Math.max(1e-9, ...models.map((model) => model.endS));
    this.range = { from: 0, to: this.endS };
    this.lit = null; // {jobs: Set, stage}: what is highlighted, or nothing
    this.panels = this.layout();
  }

  layout() {
    const panels = [];
    let top = park.TimelineView.TOP;
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
      model.rowMax = this.maxRow; // all policies on one scale
      const queue = model.ofRow.size > 0;
      const rowHeight = Math.min(
        queue ? 40 : 18,
        Math.max(queue ? 14 : 3, (queue ? 460 : 380) / most, 1200 / most > 3 ? 0 : 1200 / most),
      );
      top += 30;
      if (model.pointLanes.length > 0) add({ kind: "points", model, height: 24 });
      add({
        kind: "lanes",
        model,
        height: Math.max(24, Math.min(4000, Math.round(rowHeight * model.rows.length))),
      });
      top += 28;
    }
    this.height = top + 4;
    return panels;
  }

  option() {
    this.hatch = park.stripes(); // in the colours of the theme
    const { left, right } = park.TimelineView.SIDES;
    const parts = this.panels.map((panel, i) => this.panelOption(panel, i));
    const time = (value) => park.number(value) + " s";
    const axes = parts.map((_, i) => i);
    const muted = park.color("muted");
    const zoom = {
      xAxisIndex: axes,
      filterMode: "none",
      startValue: this.range.from,
      endValue: this.range.to,
      minValueSpan: Math.max(1e-6, this.endS * 1e-6),
      throttle: 0,
    };
    return {
      ...park.baseOption(),
      title: parts.flatMap((part) => part.title || []),
      grid: this.panels.map(({ top, height }) => ({ left, right, top, height })),
      xAxis: parts.map((part) => part.xAxis),
      yAxis: parts.map((part) => part.yAxis),
      dataZoom: [
        { type: "inside", id: "inside", ...zoom, zoomOnMouseWheel: true, moveOnMouseMove: true },
        {
          type: "slider",
          id: "slider",
          ...zoom,
          left,
          right,
          top: 8,
          height: 30,
          labelFormatter: time,
          brushSelect: false,
          showDataShadow: false,
          borderColor: park.color("line"),
          textStyle: { color: muted, fontSize: 11 },
        },
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
      type: "value",
      gridIndex: axis,
      min: 0,
      max: this.endS,
      show: shown,
      axisLabel: { formatter: (value) => park.number(value) + " s", showMaxLabel: false },
      splitLine: { show: shown },
    });
  }

  heading(text, top, more) {
    return {
      text,
      left: park.TimelineView.SIDES.left,
      top,
      padding: 0,
      textStyle: {
        color: park.color("text"),
        fontSize: 13,
        fontWeight: 600,
        overflow: "truncate",
        width: Math.max(100, this.element.clientWidth - park.TimelineView.SIDES.left - 4),
        rich: { muted: { color: park.color("muted"), fontSize: 12, fontWeight: 400 }, ...more },
      },
    };
  }

  seriesPanel({ name, top }, axis) {
    const rich = {};
    let text = name;
    const series = this.models.flatMap((model) => {
      const one = model.global.find((candidate) => candidate.name === name);
      if (!one) return [];
      const style = park.lineStyle(model.index);
      rich["policy" + model.index] = { color: style.color, fontSize: 12, fontWeight: 700 };
      text +=
        "   {policy" +
        model.index +
        "|" +
        ["\u2501", "\u254d", "\u22ef", "\u2504"][model.index % 4] +
        "} {muted|" +
        model.policy +
        "}";
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
          lineStyle: style,
          itemStyle: { color: style.color },
          silent: true,
          z: 3,
        },
      ];
    });
    return {
      title: [this.heading(text, top - 22, rich)],
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

  pointsPanel({ model, top }, axis) {
    const rest = model.pointLanes.length === 1 ? model.pointLanes[0] : "points";
    return {
      title: [this.policyHeading(model, top)],
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

  policyHeading(model, top) {
    const figures = this.data.metrics
      .slice(0, 3)
      .map(({ name, unit }) => name + " " + park.quantity(name, model.file.metrics[name], unit))
      .join("   ");
    return this.heading(model.policy + "   {muted|" + figures + "}", top - 22);
  }

  lanesPanel({ model, top, height }, axis) {
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
      title: alone ? [this.policyHeading(model, top)] : [],
      xAxis: this.timeAxis(axis, true),
      yAxis: park.axis({
        type: "category",
        gridIndex: axis,
        data: model.rows.length ? model.rows : [""],
        inverse: true,
        axisTick: { show: false },
        axisLabel: { width: 92, overflow: "truncate" },
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
