// What a policy did, in the order in which it is drawn and searched.
"use strict";

/** The first index in [begin, end) of an ascending array whose value is above `limit`. */
park.firstAbove = function (values, limit, begin, end) {
  while (begin < end) {
    const middle = (begin + end) >> 1;
    if (values[middle] > limit) end = middle;
    else begin = middle + 1;
  }
  return begin;
};

/** The models of timelines that are shown together: what has the same name has the same colour. */
park.timelineModels = function (timelines) {
  const names = new Set(timelines.flatMap(({ whats, spans }) => spans.what.map((what) => whats[what])));
  const colors = new Map([...names].sort(park.naturally).map((name, i) => [name, i]));
  return timelines.map((timeline, i) => new park.TimelineModel(timeline, i, colors));
};

/** One timeline of the file with its spans lane by lane and its jobs by number. */
park.TimelineModel = class {
  /** colors: the colour of what occupies lanes, by its name. */
  constructor(timeline, index, colors) {
    this.index = index;
    this.colors = timeline.whats.map((name) => colors.get(name));
    this.policy = timeline.policy;
    this.file = timeline;
    this.endS = timeline.end_s;
    this.labels = Object.fromEntries(
      Object.entries(timeline.labels).map(([arg, values]) => [
        arg,
        new Map(values.map(({ value, label }) => [value, label])),
      ]),
    );
    this.setUpLanes(timeline);
    this.setUpSpans(timeline.spans);
    this.setUpJobs(timeline);
    this.setUpSeries(timeline.series);
  }

  /** Rows are all lanes but those that have nothing but points. */
  setUpLanes({ lanes, spans, points, series }) {
    const occupied = new Set(spans.lane.map((lane) => lanes[lane]));
    series.forEach(({ lane }) => lane && occupied.add(lane));
    const pointed = new Set(points.lane.map((lane) => lanes[lane]));
    const known = new Set([...lanes, ...occupied]);
    this.rows = [...known].filter((name) => occupied.has(name) || !pointed.has(name)).sort(park.naturally);
    this.rowOfLane = lanes.map((name) => this.rows.indexOf(name));
    this.pointLanes = [...pointed];
  }

  setUpSpans(spans) {
    const count = spans.lane.length;
    const order = Uint32Array.from({ length: count }, (_, i) => i);
    const row = Int32Array.from(spans.lane, (lane) => this.rowOfLane[lane]);
    order.sort((a, b) => row[a] - row[b] || spans.start_s[a] - spans.start_s[b] || a - b);
    const pick = (Type, values) => Type.from(order, (i) => values[i]);
    this.row = pick(Int32Array, row);
    this.start = pick(Float64Array, spans.start_s);
    this.end = pick(Float64Array, spans.end_s);
    this.what = pick(Int32Array, spans.what);
    this.args = Object.fromEntries(
      Object.entries(spans.args).map(([name, values]) => [
        name,
        pick(
          Float64Array,
          values.map((value) => (value === null ? NaN : value)),
        ),
      ]),
    );
    const job = this.args.job;
    this.job = Int32Array.from({ length: count }, (_, i) => (job && !Number.isNaN(job[i]) ? job[i] : -1));
    this.hasJobs = this.job.some((number) => number >= 0);
    this.rowBegin = new Uint32Array(this.rows.length + 1);
    this.row.forEach((at) => ++this.rowBegin[at + 1]);
    for (let i = 0; i < this.rows.length; ++i) this.rowBegin[i + 1] += this.rowBegin[i];
  }

  /** Jobs that are described or that a span or point belongs to. */
  setUpJobs({ jobs, points, whats }) {
    this.jobs = new Map();
    for (const { job, name, stages } of jobs) this.addJob(job, name).stages = stages;
    this.job.forEach((number, i) => {
      if (number >= 0) this.addJob(number, whats[this.what[i]]).spans.push(i);
    });
    (points.args.job || []).forEach((number, i) => {
      if (number === null) return;
      const job = this.addJob(number, "job " + number);
      const what = whats[points.what[i]];
      if (what === "arrival") job.arrival = points.time_s[i];
      if (what === "completion") job.completion = points.time_s[i];
    });
  }

  addJob(number, name) {
    let job = this.jobs.get(number);
    if (!job) {
      job = { number, name, stages: [], spans: [], arrival: null, completion: null };
      this.jobs.set(number, job);
    }
    return job;
  }

  setUpSeries(series) {
    this.global = series.filter(({ lane }) => !lane);
    this.ofRow = new Map(series.filter(({ lane }) => lane).map((one) => [this.rows.indexOf(one.lane), one]));
    this.rowMax = Math.max(
      1e-9,
      ...[...this.ofRow.values()].map(({ value }) => value.reduce((a, b) => Math.max(a, b), 0)),
    );
  }

  /** The colour of a span: an index of the palette, or -1 for overhead. */
  color(i) {
    if (this.job[i] >= 0) return this.job[i] % park.palette.length;
    return this.hasJobs ? -1 : this.colors[this.what[i]] % park.palette.length;
  }

  /** The span of a row at a time, or the nearest within `tolerance`; -1: none. */
  spanAt(row, time, tolerance) {
    const begin = this.rowBegin[row];
    const end = this.rowBegin[row + 1];
    const after = park.firstAbove(this.start, time, begin, end);
    const distance = (i) => Math.max(this.start[i] - time, time - this.end[i], 0);
    let best = -1;
    for (const i of [after - 1, after]) {
      if (i >= begin && i < end && distance(i) <= tolerance && (best < 0 || distance(i) < distance(best)))
        best = i;
    }
    return best;
  }

  /** The value of a series at a time; null before its first. */
  static valueAt(series, time) {
    const i = park.firstAbove(series.time_s, time, 0, series.time_s.length);
    return i > 0 ? series.value[i - 1] : null;
  }

  whatOf(i) {
    return this.file.whats[this.what[i]];
  }

  /** The arguments of a span as pairs of texts. */
  argsOf(i) {
    return Object.entries(this.args)
      .filter(([, values]) => !Number.isNaN(values[i]))
      .map(([name, values]) => [park.label(name), this.argText(name, values[i])]);
  }

  argText(name, value) {
    const labels = this.labels[name];
    return labels && labels.has(value) ? labels.get(value) : park.quantity(name, value);
  }

  /** What happened to the stages of a job until a time: tasks done, first start, last end, mean. */
  progress(job, time) {
    const stages = job.stages.map(() => ({ started: 0, done: 0, first: null, last: null, busy: 0 }));
    for (const i of job.spans) {
      const stage = stages[this.args.stage ? this.args.stage[i] : -1];
      if (!stage || this.start[i] > time) continue;
      ++stage.started;
      stage.first = stage.first === null ? this.start[i] : Math.min(stage.first, this.start[i]);
      if (this.end[i] > time) continue;
      ++stage.done;
      stage.busy += this.end[i] - this.start[i];
      stage.last = Math.max(stage.last || 0, this.end[i]);
    }
    return stages;
  }
};
