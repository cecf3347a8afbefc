// What the charts of a report show; each function returns an option of the charting library.
"use strict";

park.report = {};

/** The height of a chart of lines, which has a legend of all of them. */
park.report.heightOfLines = (names) => (width) => 270 + park.legendHeight(names, width);

park.report.grid = (more) => ({ left: 64, right: 20, top: 16, bottom: 44, ...more });

park.report.range = ([low, high]) =>
  low === null ? "\u2013" : "[" + park.number(low) + ", " + park.number(high) + "]";

/** A figure with its interval, in parts of one. */
park.report.estimate = ({ value, bootstrap95 }, parts) => {
  const shown = (number) => (number === null ? null : Math.round(parts * number) / parts + 0);
  return value === null ? "\u2013" : park.number(shown(value)) + " " + park.report.range(bootstrap95.map(shown));
};

park.report.named = (metric) => metric.name + (metric.unit === "1" ? "" : " [" + metric.unit + "]");

/** Lines from low to high with caps, across the bars: data are [category, low, high]. */
park.report.whiskers = (data) => ({
  type: "custom",
  name: "95 % interval",
  silent: true,
  z: 5,
  data,
  encode: { x: [1, 2], y: 0 },
  tooltip: { show: false },
  renderItem(params, api) {
    const [low, high] = [1, 2].map((d) => api.coord([api.value(d), api.value(0)]));
    const line = (x1, y1, x2, y2) => ({
      type: "line",
      shape: { x1, y1, x2, y2 },
      style: { stroke: park.color("text"), lineWidth: 1.5 },
    });
    const cap = 4;
    return {
      type: "group",
      children: [
        line(low[0], low[1], high[0], high[1]),
        line(low[0], low[1] - cap, low[0], low[1] + cap),
        line(high[0], high[1] - cap, high[0], high[1] + cap),
      ],
    };
  },
});

/** Horizontal bars with intervals, in the styles of their places: rows of {name, value, interval}. */
park.report.bars = function (rows, axisName, width) {
  const known = rows.map((row, i) => ({ ...row, style: i })).filter(({ value }) => value !== null);
  const most = Math.min(34, Math.floor(width / 12)); // letters: half of a narrow chart
  const labels = known.map(({ name }) => park.short(name, most));
  const left = 14 + Math.max(0, ...labels.map((label) => park.textWidth(label, 11)));
  return {
    ...park.baseOption(),
    grid: park.report.grid({ left, bottom: 40 }),
    tooltip: park.tooltip({
      trigger: "item",
      formatter: ({ dataIndex: i }) =>
        park.escape(known[i].name) +
        "<br>" +
        park.number(known[i].value) +
        " [" +
        known[i].interval.map(park.number).join(", ") +
        "]",
    }),
    xAxis: park.axis({
      type: "value",
      name: axisName,
      nameLocation: "middle",
      nameGap: 24,
      splitLine: { show: true },
      axisLabel: { formatter: park.number },
    }),
    yAxis: park.axis({
      type: "category",
      inverse: true,
      data: labels,
      axisTick: { show: false },
      axisLabel: {
        hideOverlap: false,
        interval: 0,
        color: park.color("text"),
      },
    }),
    series: [
      {
        type: "bar",
        name: axisName,
        barMaxWidth: 18,
        data: known.map(({ value, style }) => {
          const { color, decal } = park.policyStyle(style);
          return { value, itemStyle: { color, decal } };
        }),
      },
      park.report.whiskers(
        known
          .map(({ interval }, i) => [i, ...interval])
          .filter(([, low, high]) => low !== null && high !== null),
      ),
    ],
  };
};

/** Lines by policy: [{name, points, style index}]. */
park.report.lines = function (lines, width, { x, y, step = false, more = {} }) {
  const names = lines.map(({ name }) => name);
  return {
    ...park.baseOption(),
    grid: park.report.grid({ bottom: 50 + park.legendHeight(names, width) }),
    legend: park.legend(names, { bottom: 0 }),
    tooltip: park.tooltip({
      trigger: "item",
      formatter: ({ seriesName, value }) =>
        park.escape(seriesName) + "<br>" + park.number(value[0]) + ", " + park.number(value[1]),
    }),
    xAxis: park.axis({
      type: "value",
      name: x,
      nameLocation: "middle",
      nameGap: 24,
      scale: true,
      axisLabel: { formatter: park.number },
      ...more.x,
    }),
    yAxis: park.axis({
      type: "value",
      name: y,
      nameLocation: "middle",
      nameGap: 44,
      splitLine: { show: true },
      scale: true,
      axisLabel: { formatter: park.number },
      ...more.y,
    }),
    series: lines.map(({ name, points, style }) => {
      const { color, line } = park.policyStyle(style);
      return {
        type: "line",
        name,
        data: points,
        step: step ? "end" : false,
        symbol: points.length < 40 && !step ? "circle" : "none",
        symbolSize: 4,
        lineStyle: line,
        itemStyle: { color },
        emphasis: { focus: "series", lineStyle: { width: 3 } },
      };
    }),
  };
};

/** The share of the episodes up to a value, per policy. */
park.report.cdf = function (env, width) {
  const lines = env.results.map((result, i) => {
    const values = result.per_episode[env.metric.name]
      .filter((value) => value !== null)
      .sort((a, b) => a - b);
    return {
      name: result.title,
      style: i,
      points: values.map((value, k) => [value, (k + 1) / values.length]),
    };
  });
  return park.report.lines(lines, width, {
    x: park.report.named(env.metric),
    y: "share of episodes",
    step: true,
    more: { y: { min: 0, max: 1 } },
  });
};

/** Every episode under the best baseline and under another policy. */
park.report.scatter = function (env, base, other) {
  const a = base.per_episode[env.metric.name];
  const b = other.per_episode[env.metric.name];
  const of = new Map(base.episode_ids.map((id, i) => [id, a[i]]));
  const points = other.episode_ids
    .map((id, i) => [of.get(id), b[i], id])
    .filter(([x, y]) => x !== null && x !== undefined && y !== null);
  const all = points.flatMap(([x, y]) => [x, y]);
  const ends = [Math.min(...all), Math.max(...all)];
  const axis = (name, gap) =>
    park.axis({
      type: "value",
      name,
      nameLocation: "middle",
      nameGap: gap,
      scale: true,
      splitLine: { show: true },
      axisLabel: { formatter: park.number },
    });
  return {
    ...park.baseOption(),
    grid: park.report.grid(),
    tooltip: park.tooltip({
      trigger: "item",
      formatter: ({ value }) =>
        "episode " + value[2] + "<br>" + park.number(value[0]) + ", " + park.number(value[1]),
    }),
    xAxis: axis(park.short(base.title, 40), 26),
    yAxis: axis(park.short(other.title, 40), 46),
    series: [
      {
        type: "scatter",
        name: "episodes",
        data: points,
        symbolSize: 7,
        itemStyle: { color: park.hues[0], opacity: 0.75 },
      },
      {
        type: "line",
        name: "equal",
        data: [
          [ends[0], ends[0]],
          [ends[1], ends[1]],
        ],
        symbol: "none",
        silent: true,
        lineStyle: { color: park.color("muted"), type: "dashed", width: 1 },
      },
    ],
  };
};

/**
 * The mean of points [x, y] and the ellipse of one standard deviation about it, as a polygon. Its axes are the
 * eigenvectors of the points' covariance. null: fewer than three points.
 */
park.report.ellipse = function (points) {
  const n = points.length;
  if (n < 3) return null;
  const mean = [0, 1].map((d) => points.reduce((sum, point) => sum + point[d], 0) / n);
  const covariance = (a, b) =>
    points.reduce((sum, point) => sum + (point[a] - mean[a]) * (point[b] - mean[b]), 0) / (n - 1);
  const [xx, xy, yy] = [covariance(0, 0), covariance(0, 1), covariance(1, 1)];
  const half = Math.hypot((xx - yy) / 2, xy);
  const [long, short] = [half, -half].map((part) => Math.sqrt(Math.max(0, (xx + yy) / 2 + part)));
  const angle = Math.atan2(2 * xy, xx - yy) / 2;
  const outline = Array.from({ length: 48 }, (_, i) => {
    const t = (2 * Math.PI * i) / 48;
    const [u, v] = [long * Math.cos(t), short * Math.sin(t)];
    return [
      mean[0] + u * Math.cos(angle) - v * Math.sin(angle),
      mean[1] + u * Math.sin(angle) + v * Math.cos(angle),
    ];
  });
  return { mean, outline };
};

/** A polygon in the units of the axes. */
park.report.polygon = (name, outline, color) => ({
  type: "custom",
  name,
  silent: true,
  clip: true,
  itemStyle: { color }, // the legend's
  data: [outline.flat()],
  encode: { x: outline.map((_, i) => 2 * i), y: outline.map((_, i) => 2 * i + 1) },
  tooltip: { show: false },
  renderItem: (params, api) => ({
    type: "polygon",
    shape: { points: outline.map((point) => api.coord(point)) },
    style: { fill: color, opacity: 0.18, stroke: color, lineWidth: 1 },
  }),
});

/** Two metrics of each policy, better to the right and upwards: the mean, and where the episodes lie. */
park.report.trade = function (env, x, y, width) {
  const spots = env.results
    .map(({ title, per_episode: of }, i) => {
      const points = of[x.name]
        .map((value, k) => [value, of[y.name][k]])
        .filter(([a, b]) => a !== null && b !== null);
      return { title, color: park.policyStyle(i).color, ...park.report.ellipse(points) };
    })
    .filter(({ mean }) => mean);
  const names = spots.map(({ title }) => title);
  const axis = (metric, gap) => ({
    name: park.report.named(metric) + (metric.better === "lower" ? ", less is better" : ""),
    nameGap: gap,
    inverse: metric.better === "lower",
    splitLine: { show: true },
  });
  const option = park.report.lines([], width, { more: { x: axis(x, 26), y: axis(y, 46) } });
  return {
    ...option,
    grid: park.report.grid({ bottom: 50 + park.legendHeight(names, width) }),
    legend: park.legend(names, { bottom: 0 }),
    series: spots.flatMap(({ title, color, mean, outline }) => [
      park.report.polygon(title, outline, color),
      { type: "scatter", name: title, data: [mean], symbolSize: 9, itemStyle: { color } },
    ]),
  };
};

/** The share of the episodes, or trainings, with a score above a limit. */
park.report.profiles = function (scores, limits, sample, width) {
  const lines = scores.map(({ name, profile }, i) => ({
    name,
    style: i,
    points: limits.map((limit, k) => [limit, profile.share[k]]),
  }));
  return park.report.lines(lines, width, {
    x: "score",
    y: "share of " + sample + " above",
    step: true,
    more: { y: { min: 0, max: 1 } },
  });
};

/** Validations during training. */
park.report.learning = (curves, width) =>
  park.report.lines(
    curves.map(({ policy, points }, i) => ({ name: policy, style: i, points })),
    width,
    { x: "iteration", y: curves[0].metric },
  );
