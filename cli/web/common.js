// What the pages share: data, numbers, elements, colours and charts.
"use strict";

const park = {};

/** The page's data, read once. */
park.data = JSON.parse(document.getElementById("data").textContent);

/** An element with attributes and children; null children are left out. */
park.element = function (tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
};

park.find = (id) => document.getElementById(id);

park.formats = Array.from(
  { length: 9 },
  (_, digits) => new Intl.NumberFormat("en", { maximumFractionDigits: digits }),
);

/** For people: about four significant digits, thousands apart; a dash for what is undefined. */
park.number = function (value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "\u2013";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  if (size >= 1e12 || (size > 0 && size < 1e-4)) return value.toExponential(2);
  const whole = Number.isInteger(value) || size >= 1000;
  const digits = whole ? 0 : Math.min(8, 3 - Math.floor(Math.log10(size)));
  return park.formats[digits].format(value).replaceAll(",", "\u202f");
};

park.seconds = (value) => (value === null || value === undefined ? "\u2013" : park.number(value) + "\u202fs");

/** A number with the unit that a metric or an argument has; names that end in _s are seconds. */
park.quantity = function (name, value, unit) {
  const suffix = unit === "1" ? "" : unit || (name.endsWith("_s") ? "s" : "");
  return park.number(value) + (suffix && value !== null && value !== undefined ? "\u202f" + suffix : "");
};

/** The name of an argument for people: "wait_s" is "wait". */
park.label = (name) => name.replace(/_s$/, "").replaceAll("_", " ");

/** Names in their natural order: "executor 2" before "executor 10". */
park.naturally = (a, b) => a.localeCompare(b, "en", { numeric: true });

// Colours. Okabe and Ito's palette without black: seven colours that colour-blind people tell apart,
// ordered so that neighbours differ in lightness; then the same darker, then lighter.
park.hues = ["#0072b2", "#e8a33d", "#009e73", "#56b4e9", "#d55e00", "#cc79a7", "#d3c31f"];
/** A colour that is a share of one and for the rest another. */
park.blend = (color, other, share) =>
  "#" +
  [1, 3, 5]
    .map((i) => {
      const [a, b] = [color, other].map((hex) => parseInt(hex.slice(i, i + 2), 16));
      return Math.round(a * share + b * (1 - share))
        .toString(16)
        .padStart(2, "0");
    })
    .join("");
park.palette = [
  ...park.hues,
  ...park.hues.map((hue) => park.blend(hue, "#ffffff", 0.58)),
  ...park.hues.map((hue) => park.blend(hue, "#000000", 0.62)),
];
park.jobColor = (number) =>
  park.palette[((number % park.palette.length) + park.palette.length) % park.palette.length];
/** What tells policies apart, by their place: eight colours, then the same with other dashes and stripes. */
park.policyStyle = function (i) {
  const colors = [0, 4, 2, 5, 1, 3, 6].map((hue) => park.hues[hue]).concat(park.color("text"));
  const again = Math.floor(i / colors.length) % 4;
  const color = colors[i % colors.length];
  return {
    color,
    line: { color, width: 1.75, type: ["solid", [7, 3], [2, 2], [9, 3, 2, 3]][again] },
    decal: again === 0 ? null : park.decal(again),
  };
};
park.decal = (again) => ({
  color: park.color("bg"),
  dashArrayX: [1, 0],
  dashArrayY: [2, 4],
  rotation: [0, Math.PI / 4, -Math.PI / 4, Math.PI / 2][again],
});

/** The value of a colour variable of the style sheet, as the theme has it now. */
park.color = function (name) {
  const probe =
    park.find("probe") || document.body.appendChild(park.element("i", { id: "probe", hidden: "" }));
  probe.style.color = "var(--" + name + ")";
  return getComputedStyle(probe).color;
};

// The theme: that of the system until somebody chooses.
park.dark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};
park.themed = [];
park.restyle = () => park.themed.forEach((draw) => draw());
park.setUpTheme = function () {
  park.find("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = park.dark() ? "light" : "dark";
    park.restyle();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", park.restyle);
};

/**
 * A chart in an element, drawn again in another theme or size. `option(width)` makes what it shows,
 * `height(width)` tells the pixels that this needs.
 */
park.chart = function (element, option, height) {
  const fit = () => {
    if (height) element.style.height = height(element.clientWidth) + "px";
  };
  fit();
  const chart = echarts.init(element, null, { renderer: "canvas" });
  const draw = () => chart.setOption(option(element.clientWidth), { notMerge: true });
  draw();
  park.themed.push(draw);
  new ResizeObserver(() => {
    if (element.clientWidth === 0) return; // hidden, as on paper
    fit();
    if (element.clientWidth === chart.getWidth() && element.clientHeight === chart.getHeight()) return;
    chart.resize();
    draw();
  }).observe(element);
  return { chart, draw };
};

/** Sets window.parkReady, in milliseconds since the page was asked for, once all that is drawn is seen. */
park.tellReady = function (...charts) {
  for (const chart of charts) if (chart) chart.getZr().flush();
  requestAnimationFrame(() =>
    setTimeout(() => {
      window.parkReady = performance.now();
    }),
  );
};

/** The page's fonts, in quotes that an attribute of an SVG may have. */
park.fontFamily = () => getComputedStyle(document.body).fontFamily.replaceAll('"', "'");

/** What all charts have in common. */
park.baseOption = () => ({
  animation: false,
  textStyle: { fontFamily: park.fontFamily(), color: park.color("text") },
  backgroundColor: "transparent",
});

/** The width of a text in pixels. */
park.textWidth = function (text, size, weight = 400) {
  park.measure ??= park.element("canvas").getContext("2d");
  park.measure.font = weight + " " + size + "px " + park.fontFamily();
  return park.measure.measureText(text).width;
};

/** Widths in rows: the indices of what fits into a row of `width` beside each other, row by row. */
park.rows = function (widths, width, gap) {
  const rows = [];
  let used = Infinity;
  widths.forEach((own, i) => {
    if (used + gap + own > width) {
      rows.push([]);
      used = -gap;
    }
    rows[rows.length - 1].push(i);
    used += gap + own;
  });
  return rows;
};

/** A text with so much of its begin and end as a label has room for: paths differ in their ends. */
park.short = function (text, most) {
  if (text.length <= most) return text;
  return text.slice(0, Math.ceil((most - 1) / 2)) + "\u2026" + text.slice(-Math.floor((most - 1) / 2));
};

park.LEGEND = { gap: 10, icon: 26, row: 20, most: 40 };
/** All names, in as many rows as they need: paper does not scroll. */
park.legend = (names, more) => ({
  left: "center",
  padding: 0,
  itemGap: park.LEGEND.gap,
  itemWidth: park.LEGEND.icon,
  itemHeight: 4, // a smaller dot leaves more of the dashes
  data: names,
  textStyle: { color: park.color("text"), fontSize: 11, lineHeight: 12 },
  formatter: (name) => park.short(name, park.LEGEND.most),
  ...more,
});

/** Pixels that the legend needs in a chart of this width. */
park.legendHeight = function (names, width) {
  const { gap, icon, row, most } = park.LEGEND;
  const widths = names.map((name) => icon + 8 + park.textWidth(park.short(name, most), 11));
  return row * park.rows(widths, width - 10, gap).length;
};

/** An axis in the page's colours. */
park.axis = (more) => {
  const muted = park.color("muted");
  const line = park.color("line");
  const axis = {
    axisLine: { show: true, lineStyle: { color: line } },
    axisTick: { show: true, lineStyle: { color: line } },
    axisLabel: { color: muted, fontSize: 11, hideOverlap: true },
    splitLine: { show: false, lineStyle: { color: line, opacity: 0.6 } },
    nameTextStyle: { color: muted, fontSize: 11 },
    ...more,
  };
  axis.axisLabel = { color: muted, fontSize: 11, hideOverlap: true, ...(more && more.axisLabel) };
  axis.splitLine = { show: false, lineStyle: { color: line, opacity: 0.6 }, ...(more && more.splitLine) };
  return axis;
};

park.tooltip = (more) => ({
  backgroundColor: park.color("bg"),
  borderColor: park.color("line"),
  textStyle: { color: park.color("text"), fontSize: 12.5 },
  confine: true,
  transitionDuration: 0,
  ...more,
});

/** Text that may stand in HTML. */
park.escape = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/**
 * A table that is sorted by the columns on click. columns: {title, value(row), text(row), left};
 * choose(row): a row was clicked; key(row): what mark() knows it by; most: rows that are shown.
 */
park.table = function (columns, rows, { choose, key, most = Infinity } = {}) {
  const body = park.element("tbody");
  const heads = columns.map((column, c) =>
    park.element(
      "th",
      { scope: "col", class: column.left ? "text" : null },
      park.element("button", { type: "button", onclick: () => sort(c) }, column.title),
    ),
  );
  let by = -1;
  let down = false;
  let chosen = null;
  function fill(list) {
    body.replaceChildren(
      ...list.slice(0, most).map((row) => {
        const tr = park.element(
          "tr",
          {
            class: (choose ? "choosable" : "") + (key && key(row) === chosen ? " chosen" : ""),
            onclick: choose ? () => choose(row) : () => {},
          },
          columns.map((column) =>
            park.element(
              "td",
              { class: column.left ? "text" : null },
              column.text ? column.text(row) : String(column.value(row)),
            ),
          ),
        );
        return tr;
      }),
    );
  }
  function order() {
    if (by < 0) return rows;
    const value = columns[by].value;
    const compare = (a, b) => (typeof a === "string" ? park.naturally(a, b) : a - b);
    return [...rows].sort((a, b) => compare(value(a), value(b)) * (down ? -1 : 1));
  }
  function sort(c) {
    down = by === c ? !down : typeof columns[c].value(rows[0] || {}) !== "string";
    by = c;
    heads.forEach((head, i) => {
      if (i === c) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    fill(order());
  }
  fill(rows);
  const table = park.element(
    "table",
    null,
    park.element("thead", null, park.element("tr", null, heads)),
    body,
  );
  return {
    table,
    show(list) {
      rows = list;
      fill(order());
    },
    mark(value) {
      chosen = value;
      fill(order());
    },
  };
};
