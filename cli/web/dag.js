// Draws the graph of a job: layers by dagre, nodes and edges by the chart library.
"use strict";

/**
 * Places stages in layers. stages: [{parents: [index]}]; size: {width, height} of a node.
 * Returns {width, height, nodes: [{x, y}], edges: [{from, to, points}]} in pixels.
 */
park.layoutDag = function (stages, size) {
  const graph = new dagre.graphlib.Graph();
  // The tight ranking takes many seconds for hundreds of stages.
  const ranker = stages.length > 100 ? "longest-path" : "network-simplex";
  graph.setGraph({
    ranker,
    rankdir: "TB",
    nodesep: 14,
    ranksep: 1.1 * size.height,
    edgesep: 10,
    marginx: 12,
    marginy: 12,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  stages.forEach((stage, i) => graph.setNode(String(i), { ...size }));
  stages.forEach((stage, i) => stage.parents.forEach((parent) => graph.setEdge(String(parent), String(i))));
  dagre.layout(graph);
  const { width, height } = graph.graph();
  return {
    width,
    height,
    nodes: stages.map((stage, i) => graph.node(String(i))),
    edges: graph
      .edges()
      .map((edge) => ({ from: Number(edge.v), to: Number(edge.w), points: graph.edge(edge).points })),
  };
};

/** A fill that shows the progress from the left. */
park.progressFill = function (color, share) {
  if (share >= 1) return color;
  const rest = park.color("raised");
  return {
    type: "linear",
    x: 0,
    y: 0,
    x2: 1,
    y2: 0,
    colorStops: [
      { offset: 0, color: share > 0 ? color : rest },
      { offset: share, color: share > 0 ? color : rest },
      { offset: share, color: rest },
      { offset: 1, color: rest },
    ],
  };
};

/** Black or white, whichever reads better on the colour. */
park.inkOn = function (color) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
  return r * 0.299 + g * 0.587 + b * 0.114 > 140 ? "#111111" : "#ffffff";
};

/** The nodes of a graph series; edges run between points that are not seen, so they bend and end as laid out. */
park.dagSeries = function (layout, stages) {
  const text = park.color("text");
  const bends = [];
  const links = [];
  const lineStyle = { color: park.color("muted"), width: 1.2, opacity: 0.9 };
  layout.edges.forEach(({ points }, e) =>
    points.forEach((point, p) => {
      const name = (at) => "edge " + e + " point " + at;
      const last = p === points.length - 1;
      bends.push({ name: name(p), x: point.x, y: point.y, symbolSize: 0, silent: true });
      if (p > 0) {
        links.push({
          source: name(p - 1),
          target: name(p),
          symbol: ["none", last ? "arrow" : "none"],
          symbolSize: 7,
          lineStyle,
          silent: true,
        });
      }
    }),
  );
  const corner = (name, x, y) => ({ name, x, y, symbolSize: 0, silent: true });
  const nodes = stages.map((stage, i) => ({
    name: String(i),
    x: layout.nodes[i].x,
    y: layout.nodes[i].y,
    symbol: "roundRect",
    symbolSize: [layout.nodes[i].width, layout.nodes[i].height],
    itemStyle: {
      color: stage.fill,
      borderColor: stage.chosen ? park.color("mark") : stage.border,
      borderWidth: stage.chosen ? 2.5 : 1,
    },
    label: { show: true, formatter: stage.label, color: stage.ink || text, fontSize: 11, lineHeight: 13 },
    stage: i,
  }));
  return {
    type: "graph",
    layout: "none",
    left: 0,
    top: 0,
    width: layout.width,
    height: layout.height,
    data: [
      ...nodes,
      ...bends,
      corner("first corner", 0, 0),
      corner("last corner", layout.width, layout.height),
    ],
    links,
    edgeSymbol: ["none", "none"],
    emphasis: { disabled: true },
    cursor: "pointer",
  };
};

/**
 * Draws into a box that scrolls when the graph is larger than it. describe(i) is the HTML of a
 * stage's tooltip, choose(i) is called on a click. Returns {update(stages), dispose()}.
 */
park.drawDag = function (box, stages, { size, describe, choose }) {
  const layout = park.layoutDag(stages, size);
  const canvas = park.element("div", { role: "img", "aria-label": "graph of " + stages.length + " stages" });
  canvas.style.width = layout.width + "px";
  canvas.style.height = layout.height + "px";
  box.replaceChildren(canvas);
  const chart = echarts.init(canvas);
  let shown = stages;
  const draw = () =>
    chart.setOption(
      {
        ...park.baseOption(),
        tooltip: park.tooltip({
          appendTo: "body",
          formatter: (item) =>
            item.dataType === "node" && item.data.stage !== undefined ? describe(item.data.stage) : "",
        }),
        series: [park.dagSeries(layout, shown)],
      },
      { notMerge: true },
    );
  draw();
  chart.on("click", (item) => {
    if (item.dataType === "node" && item.data.stage !== undefined) choose(item.data.stage);
  });
  return {
    chart,
    layout,
    update(next) {
      shown = next;
      draw();
    },
    dispose: () => chart.dispose(),
  };
};
