// Figures of a report: a chart with a caption that can be saved as SVG or PNG for a paper.
"use strict";

/**
 * All figures of the page: {name, wide, option(width), height(width), paper, chart, element}; `paper`
 * has option and height of what is saved and printed.
 */
park.figures = [];

/** Offers a text or an address of data as a file. */
park.download = function (name, url) {
  park.element("a", { href: url, download: name }).click();
};

/** The size of a figure in a paper, in points. */
park.paperSize = function ({ paper, wide }) {
  const width = wide ? 960 : 640;
  return { width, height: wide ? paper.height(width) : Math.max(400, paper.height(width)) };
};

/** The figure as the text of an SVG file, in light colours. */
park.svgOf = function (figure, { width, height } = park.paperSize(figure)) {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width, height });
  const text = park.inLight(() => {
    chart.setOption(figure.paper.option(width));
    return chart.renderToSVGString();
  });
  chart.dispose();
  return text;
};

/** The figure as the address of a PNG, three pixels a point. */
park.pngOf = function (figure) {
  const { width, height } = park.paperSize(figure);
  const box = park.element("div", {
    style: "position:fixed;left:-9999px;width:" + width + "px;height:" + height + "px",
  });
  document.body.append(box);
  const chart = echarts.init(box, null, { renderer: "canvas", width, height });
  const url = park.inLight(() => {
    chart.setOption(figure.paper.option(width));
    return chart.getDataURL({ type: "png", pixelRatio: 3, backgroundColor: "#ffffff" });
  });
  chart.dispose();
  box.remove();
  return url;
};

/** What `make` returns in the light theme. */
park.inLight = function (make) {
  const root = document.documentElement;
  const chosen = root.dataset.theme;
  root.dataset.theme = "light";
  try {
    return make();
  } finally {
    if (chosen) root.dataset.theme = chosen;
    else delete root.dataset.theme;
  }
};

/**
 * On paper every figure is an SVG as wide as its place. While a page is prepared for printing it still
 * has the layout of the screen, so the widths are those that the style sheet gives to paper.
 */
park.setUpPrint = function () {
  window.addEventListener("beforeprint", () => {
    for (const figure of park.figures) {
      const width = figure.wide ? 690 : 334;
      const printed = park.element("div", { class: "printed" });
      printed.innerHTML = park.svgOf(figure, { width, height: figure.paper.height(width) });
      figure.element.after(printed);
    }
  });
  window.addEventListener("afterprint", () =>
    document.querySelectorAll(".printed").forEach((printed) => printed.remove()),
  );
};

/**
 * A figure in the page: name for files, caption, option(width), height(width) in pixels; `paper` has
 * both where paper shows something else.
 */
park.figure = function (parent, { name, caption, option, height = () => 300, wide = false, paper }) {
  const canvas = park.element("div", { class: "plot", role: "img", "aria-label": caption });
  const figure = { name, wide, option, height, paper: paper || { option, height } };
  const save = (kind, url) =>
    park.element("button", { type: "button", class: "save", title: "save as " + kind, onclick: url }, kind);
  parent.append(
    park.element(
      "figure",
      { class: wide ? "wide" : null, id: "figure-" + name },
      park.element(
        "figcaption",
        null,
        caption,
        save("SVG", () =>
          park.download(
            name + ".svg",
            "data:image/svg+xml;charset=utf-8," + encodeURIComponent(park.svgOf(figure)),
          ),
        ),
        save("PNG", () => park.download(name + ".png", park.pngOf(figure))),
      ),
      canvas,
    ),
  );
  const { chart } = park.chart(canvas, option, height);
  Object.assign(figure, { chart, element: canvas });
  park.figures.push(figure);
  return figure;
};
