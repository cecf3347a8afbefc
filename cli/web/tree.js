// A file of trees as nested questions. A page of a tree alone says its title; a report adds to it.
"use strict";

park.tree = {};

/** "0.61 (912 of 8120)" */
park.tree.leaf = function ({ leaf, value, chosen, samples }) {
  const counts = samples === undefined ? "" : " (" + (chosen === undefined ? "" : chosen + " of ") + samples + ")";
  return park.element(
    "span",
    { class: "leaf", id: "leaf-" + leaf },
    park.element("b", null, park.number(value)),
    counts + " ",
    park.element("span", { class: "muted" }, "leaf " + leaf),
  );
};

park.tree.samples = (node) =>
  node.feature === undefined ? node.samples || 0 : park.tree.samples(node.yes) + park.tree.samples(node.no);

park.tree.node = function (node) {
  if (node.feature === undefined) return park.tree.leaf(node);
  const samples = park.tree.samples(node);
  const branch = (name, child) =>
    park.element("li", null, park.element("span", { class: "answer" }, name), park.tree.node(child));
  return park.element(
    "details",
    { open: "" },
    park.element(
      "summary",
      null,
      node.feature + " \u2264 " + park.number(node.at_most),
      samples > 0 ? park.element("span", { class: "muted" }, " " + park.number(samples)) : null,
    ),
    park.element("ul", null, branch("yes", node.yes), branch("no", node.no)),
  );
};

park.tree.rule = ({ reason, conditions, value }) =>
  park.element(
    "p",
    null,
    "Rule: " + reason + ". ",
    park.element(
      "code",
      null,
      conditions.map(({ feature, is, number }) => feature + " " + is + " " + park.number(number)).join(" and ") +
        (value === undefined ? "" : ": " + park.number(value)),
    ),
  );

park.tree.part = (name, { ties = [], trees, formula }) => [
  park.element("h4", null, name),
  ties.length === 0
    ? null
    : park.element("p", { class: "muted" }, "Ties: " + ties.map(({ feature, first }) => first + " " + feature).join(", ")),
  formula === undefined ? null : park.element("p", null, park.element("code", null, formula)),
  ...trees.map(park.tree.node),
];

/** All that a file says, as elements. */
park.tree.elements = ({ features, heads }) => [
  ...features.map(({ name, expression }) =>
    park.element("p", null, park.element("code", null, name + " = " + expression)),
  ),
  ...heads.flatMap(({ head, rules, levels, values }) => [
    park.element("h3", null, head),
    ...rules.map(park.tree.rule),
    ...levels.flatMap((level) => park.tree.part("level " + level.level, level)),
    ...values.flatMap((value, i) =>
      park.tree.part(values.length > 1 ? "value " + (i + 1) : "value", value),
    ),
  ]),
];

park.find("tree").append(...park.tree.elements(park.data.tree).filter((element) => element !== null));
park.find("title").textContent = "Tree of " + park.data.tree.env;
park.find("about").textContent = park.data.tree.teacher ? "Teacher: " + park.data.tree.teacher : "";
park.find("made").textContent = "Layout " + park.data.tree.layout;
park.setUpTheme();
if (!park.data.distill) park.tellReady();
