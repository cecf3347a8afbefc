// Draws lanes: what occupied them, their queues, and what happened at one time. Everything of one
// colour is one shape, and what is narrower than a pixel is merged, so a frame costs what is on the
// screen and not what is in the file.
"use strict";

/** Rectangles that grow: x, y, width, height, ... */
park.Rects = class {
  constructor() {
    this.values = new Float32Array(256);
    this.size = 0;
  }

  add(x, y, width, height) {
    if (this.size + 4 > this.values.length) {
      const larger = new Float32Array(2 * this.values.length);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.size++] = x;
    this.values[this.size++] = y;
    this.values[this.size++] = width;
    this.values[this.size++] = height;
  }

  /** The rectangle that was added last ends there. */
  widenLast(end) {
    this.values[this.size - 2] = end - this.values[this.size - 4];
  }
};

park.registerShapes = function () {
  const shape = (name, buildPath, afterBrush) => {
    const more = afterBrush ? { buildPath, afterBrush } : { buildPath };
    const made = echarts.graphic.extendShape({ shape: { rects: null, corners: null }, ...more });
    echarts.graphic.registerShape(name, made);
  };
  // Filled one by one with the style that is set: a path of thousands of rectangles costs a multiple.
  // Where there is no canvas (SVG, or only their extent is asked) they are a path.
  shape(
    "parkRects",
    function (path, { rects: { values, size } }) {
      const context = path.getContext();
      this.context = context ?? this.context;
      if (context) return;
      for (let i = 0; i < size; i += 4) path.rect(values[i], values[i + 1], values[i + 2], values[i + 3]);
    },
    function () {
      const { values, size } = this.shape.rects;
      for (let i = 0; i < size; i += 4) {
        this.context.fillRect(values[i], values[i + 1], values[i + 2], values[i + 3]);
      }
    },
  );
  // The tip of a triangle points down where its height is positive.
  shape("parkTriangles", (path, { rects }) => {
    const { values, size } = rects;
    for (let i = 0; i < size; i += 4) {
      const [x, y, width, height] = [values[i], values[i + 1], values[i + 2], values[i + 3]];
      path.moveTo(x - width / 2, y);
      path.lineTo(x + width / 2, y);
      path.lineTo(x, y + height);
      path.closePath();
    }
  });
  shape("parkAreas", (path, { corners }) => {
    for (const corner of corners) {
      path.moveTo(corner[0], corner[1]);
      for (let i = 2; i < corner.length; i += 2) path.lineTo(corner[i], corner[i + 1]);
      path.closePath();
    }
  });
};

/** Stripes for overhead, in the page's colours. */
park.stripes = function () {
  const canvas = park.element("canvas", { width: 6, height: 6 });
  const context = canvas.getContext("2d");
  context.strokeStyle = park.color("overhead");
  context.lineWidth = 1.6;
  for (const x of [-6, 0, 6]) {
    context.beginPath();
    context.moveTo(x - 1, 7);
    context.lineTo(x + 7, -1);
    context.stroke();
  }
  return { image: canvas, repeat: "repeat", imageWidth: canvas.width, imageHeight: canvas.height };
};

/** Where lanes have queues these lie above the spans. */
park.barUnderQueue = (view) => Math.max(1, view.rowHeight * 0.34);

/** Collects the visible spans of a model as rectangles by colour. */
park.SpanPainter = class {
  /** view: {left, width, top, rowHeight, from, to}; lit(i): whether a span is highlighted; marked: some are not. */
  constructor(model, view, lit, marked) {
    this.model = model;
    this.view = view;
    this.lit = lit;
    this.marked = marked;
    const colors = park.palette.length + 1; // the last is overhead
    this.colors = colors;
    this.groups = Array.from({ length: 2 * colors }, () => new park.Rects()); // lit, then dim
    this.weights = new Float64Array(2 * colors);
    this.pending = [];
  }

  paint() {
    const { model, view } = this;
    const queue = model.ofRow.size > 0;
    const bar = queue
      ? park.barUnderQueue(view)
      : Math.max(1, view.rowHeight * (view.rowHeight < 5 ? 1 : 0.86));
    for (let row = 0; row < model.rows.length; ++row) {
      const y = view.top + view.rowHeight * (row + 1) - bar - (queue ? 1 : (view.rowHeight - bar) / 2);
      this.paintRow(row, Math.round(y), Math.max(1, Math.round(y + bar) - Math.round(y)));
    }
    return this.groups;
  }

  paintRow(row, y, height) {
    const { model, view } = this;
    const scale = view.width / (view.to - view.from);
    const begin = model.rowBegin[row];
    const end = model.rowBegin[row + 1];
    const right = view.left + view.width;
    this.column = -1;
    this.lastGroup = -1;
    let i = Math.max(begin, park.firstAbove(model.start, view.from, begin, end) - 1);
    for (; i < end && model.start[i] < view.to; ++i) {
      if (model.end[i] <= view.from) continue;
      const x0 = Math.max(view.left, view.left + (model.start[i] - view.from) * scale);
      const x1 = Math.min(right, view.left + (model.end[i] - view.from) * scale);
      const color = model.color(i);
      const group = (color < 0 ? this.colors - 1 : color) + (this.lit(i) ? 0 : this.colors);
      if (x1 - x0 < 1) this.hold(group, x0, x1, y, height);
      else {
        this.flush(y, height);
        this.emit(group, x0, x1, y, height);
      }
    }
    this.flush(y, height);
  }

  /** Wide spans are set apart; narrow ones of a colour that follow each other are one rectangle. */
  emit(group, x0, x1, y, height) {
    const rects = this.groups[group];
    if (this.marked && group < this.colors) x1 = Math.max(x1, x0 + 2); // a highlight is always seen
    const wide = x1 - x0 > 3;
    if (!wide && group === this.lastGroup && x0 - this.lastEnd < 0.8) rects.widenLast(x1);
    else rects.add(x0, y, wide ? x1 - x0 - 0.6 : x1 - x0, height);
    this.lastGroup = group;
    this.lastEnd = x1;
  }

  /** What is narrower than a pixel waits for the others of the same pixel. */
  hold(group, x0, x1, y, height) {
    const column = Math.floor(x0);
    if (column !== this.column) this.flush(y, height);
    if (this.pending.length === 0) this.first = x0;
    this.column = column;
    this.last = x1;
    if (this.weights[group] === 0) this.pending.push(group);
    this.weights[group] += x1 - x0 + 1e-9;
  }

  /** The pixel takes the colour of most of its time; what is highlighted is always seen. */
  flush(y, height) {
    if (this.pending.length === 0) return;
    let best = this.pending[0];
    let total = 0;
    for (const group of this.pending) {
      total += this.weights[group];
      const lit = group < this.colors;
      if (lit === best < this.colors ? this.weights[group] > this.weights[best] : lit) best = group;
    }
    for (const group of this.pending) this.weights[group] = 0;
    this.pending.length = 0;
    const width = Math.max(0.7, Math.min(total, this.last - this.first));
    this.emit(best, this.first, this.first + width, y, height);
  }
};

/** The time of the episode on every lane, on which its spans lie. */
park.idleTracks = function (model, view) {
  const tracks = new park.Rects();
  const end = Math.min(view.to, model.endS);
  const gap = view.rowHeight >= 6 ? 1 : 0;
  const width = ((end - view.from) * view.width) / (view.to - view.from);
  for (let row = 0; width > 0 && row < model.rows.length; ++row) {
    tracks.add(view.left, view.top + view.rowHeight * row + gap / 2, width, view.rowHeight - gap);
  }
  return tracks;
};

/** The series of lanes as filled steps, all on one scale; per pixel the largest value. */
park.queueAreas = function (model, view) {
  const areas = [];
  const scale = view.width / (view.to - view.from);
  for (const [row, { time_s: times, value: values }] of model.ofRow) {
    const bar = park.barUnderQueue(view) + 2;
    const base = view.top + view.rowHeight * (row + 1) - bar;
    const unit = (view.rowHeight - bar - 2) / model.rowMax;
    let i = Math.max(0, park.firstAbove(times, view.from, 0, times.length) - 1);
    if (times.length === 0 || times[i] > view.to) continue;
    const x = (time) => view.left + (Math.min(Math.max(time, view.from), view.to) - view.from) * scale;
    const corners = [x(times[i]), base];
    while (i < times.length && times[i] < view.to) {
      const x0 = x(times[i]);
      let largest = values[i];
      ++i;
      while (i < times.length && times[i] < view.to && x(times[i]) - x0 < 1)
        largest = Math.max(largest, values[i++]);
      const x1 = i < times.length ? x(times[i]) : x(view.to);
      corners.push(x0, base - largest * unit, x1, base - largest * unit);
    }
    corners.push(corners[corners.length - 2], base);
    areas.push(corners);
  }
  return areas;
};

/** Arrivals point down into the lanes, completions up out of them, by colour; others are ticks. */
park.pointMarks = function (model, view, litJob) {
  const { points, whats } = model.file;
  const jobs = points.args.job || [];
  const scale = view.width / (view.to - view.from);
  const colors = park.palette.length + 1;
  const groups = Array.from({ length: 2 * colors }, () => new park.Rects());
  const seen = new Set();
  points.time_s.forEach((time, i) => {
    if (time < view.from || time > view.to) return;
    const job = jobs[i] === undefined || jobs[i] === null ? -1 : jobs[i];
    const group = (job < 0 ? colors - 1 : job % park.palette.length) + (litJob(job) ? 0 : colors);
    const x = view.left + (time - view.from) * scale;
    const leaves = whats[points.what[i]] === "completion";
    const key = Math.round(x * 2) * 200 + group * 2 + (leaves ? 1 : 0);
    if (seen.has(key)) return;
    seen.add(key);
    if (leaves) groups[group].add(x, view.top + 21, 8, -8);
    else groups[group].add(x, view.top + 2, 8, 8);
  });
  return groups;
};

/**
 * A custom series of one shape per colour on a grid. groups(view) is called once per frame;
 * shape: its name; fill(g): the colour of group g.
 */
park.groupSeries = function ({ name, axis, groups, shape, count, style, top, rowHeight, z, clip = true }) {
  let frame = null;
  return {
    type: "custom",
    name,
    xAxisIndex: axis,
    yAxisIndex: axis,
    silent: true,
    z,
    clip,
    data: Array.from({ length: count }, (_, g) => [0, 0, g]),
    encode: { x: 0, y: 1 },
    tooltip: { show: false },
    renderItem(params, api) {
      const g = params.dataIndexInside;
      if (g === 0) {
        const { x: left, width } = params.coordSys;
        const [from, to] = [0, 1].map((t) => api.coord([t, 0])[0]);
        const scale = to - from; // pixels of a second
        frame = groups({
          left,
          width,
          top,
          rowHeight,
          from: (left - from) / scale,
          to: (left + width - from) / scale,
        });
      }
      const content = frame[g];
      if (!content || content.size === 0 || content.length === 0) return null;
      return {
        type: shape,
        shape: Array.isArray(content) ? { corners: content } : { rects: content },
        style: style(g),
        silent: true,
      };
    },
  };
};
