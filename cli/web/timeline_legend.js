// What the colours and signs of timelines mean, as items of a list.
"use strict";

park.legendItem = (sign, text) => park.element("li", null, sign, text);
park.swatch = (style, more) => park.element("span", { class: "swatch" + (more || ""), style });
park.sign = (text) => park.element("span", { "aria-hidden": "true" }, text);

/** What occupies lanes: jobs, each in its colour, and overhead; without jobs every name is listed. */
park.spanLegend = function (models) {
  const of = (model) => Array.from(model.what, (_, i) => i);
  if (!models.some(({ hasJobs }) => hasJobs)) {
    const colors = new Map(
      models.flatMap((model) => of(model).map((i) => [model.whatOf(i), park.palette[model.color(i)]])),
    );
    return [...colors.keys()]
      .sort(park.naturally)
      .map((name) => park.legendItem(park.swatch("background:" + colors.get(name)), name));
  }
  const colors = park.palette
    .slice(0, 5)
    .map((color, i) => color + " " + i * 20 + "% " + (i + 1) * 20 + "%")
    .join(",");
  const overhead = new Set(
    models.flatMap((model) =>
      of(model)
        .filter((i) => model.job[i] < 0)
        .map((i) => model.whatOf(i)),
    ),
  );
  return [
    park.legendItem(
      park.swatch("width:30px;background:linear-gradient(90deg," + colors + ")"),
      "busy, coloured by job",
    ),
    ...[...overhead].map((what) => park.legendItem(park.swatch("", " hatched"), what)),
  ];
};

park.timelineLegend = function (models) {
  const items = models.some((model) => model.what.length > 0) ? park.spanLegend(models) : [];
  if (models.some((model) => model.rows.length > 0))
    items.push(park.legendItem(park.swatch("background:var(--track)"), "idle"));
  const queues = new Set(models.flatMap((model) => [...model.ofRow.values()].map(({ name }) => name)));
  const most = Math.max(...models.map((model) => model.rowMax));
  for (const name of queues)
    items.push(
      park.legendItem(
        park.swatch("background:var(--area)"),
        name + " (a full lane: " + park.number(most) + ")",
      ),
    );
  const whats = new Set(models.flatMap(({ file: { points, whats } }) => points.what.map((i) => whats[i])));
  if (whats.has("arrival")) items.push(park.legendItem(park.sign("\u25bc"), "arrival"));
  if (whats.has("completion")) items.push(park.legendItem(park.sign("\u25b2"), "completion"));
  return items;
};
