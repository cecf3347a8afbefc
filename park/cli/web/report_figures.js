// Figures of a report: a chart with a caption that can be saved as SVG or PNG for a paper.
"use strict";

/** All figures of the page by name: {name, option, chart, element}. */
park.figures = [];

/** Offers a text or an address of data as a file. */
park.download = function (name, url) {
  park.element("a", { href: url, download: name }).click();
};

/** The figure as the text of an SVG file of this size, in light colours. */
park.svgOf = function (figure, width = 640, height = 400) {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width, height });
  chart.setOption(park.inLight(() => figure.option()));
  const text = chart.renderToSVGString();
  chart.dispose();
  return text;
};

/** The figure as the address of a PNG, three pixels a point. */
park.pngOf = function (figure, width = 640, height = 400) {
  const box = park.element("div", {
    style: "position:fixed;left:-9999px;width:" + width + "px;height:" + height + "px",
  });
  document.body.append(box);
  const chart = echarts.init(box, null, { renderer: "canvas", width, height });
  chart.setOption(park.inLight(() => figure.option()));
  const url = chart.getDataURL({ type: "png", pixelRatio: 3, backgroundColor: "#ffffff" });
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

/** A figure in the page: name for files, caption, option(), height in pixels. */
park.figure = function (parent, { name, caption, option, height = 300, wide = false }) {
  const canvas = park.element("div", {
    class: "plot",
    role: "img",
    "aria-label": caption,
    style: "height:" + height + "px",
  });
  const figure = { name, option };
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
            "data:image/svg+xml;charset=utf-8," +
              encodeURIComponent(park.svgOf(figure, wide ? 960 : 640, wide ? height : 400)),
          ),
        ),
        save("PNG", () =>
          park.download(name + ".png", park.pngOf(figure, wide ? 960 : 640, wide ? height : 400)),
        ),
      ),
      canvas,
    ),
  );
  const { chart } = park.chart(canvas, option);
  Object.assign(figure, { chart, element: canvas, wide, height });
  park.figures.push(figure);
  return figure;
};
