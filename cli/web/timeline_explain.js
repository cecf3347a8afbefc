// Why a decision was taken: candidates, the surrogate's way and its reasons, and the smallest change. A
// click into the lanes shows the explained decision of that policy that is nearest in time.
"use strict";

park.ExplainPanel = class {
  static REASONS = 5;
  static CANDIDATES = 3;

  /** show(time) is called when another decision is shown. */
  constructor(models, show) {
    this.models = models.filter(({ file }) => file.explained.length > 0);
    this.on = show;
    this.box = park.find("explained");
    this.box.hidden = this.models.length === 0;
    this.clear();
  }

  get any() {
    return this.models.length > 0;
  }

  clear() {
    const count = this.models.reduce((sum, { file }) => sum + file.explained.length, 0);
    this.decision = null;
    this.box.replaceChildren(
      park.element(
        "span",
        { class: "muted" },
        "Click into the lanes: of " + park.number(count) + " explained decisions the nearest one is shown here.",
      ),
    );
  }

  /** The nearest explained decision of a policy, or of the first one that has some; its time. */
  nearest(model, time) {
    const of = this.models.includes(model) ? model : this.models[0];
    const distance = (i) => Math.abs(of.file.explained[i].time_s - time);
    const best = of.file.explained.reduce((found, _, i) => (distance(i) < distance(found) ? i : found), 0);
    return this.show(of, best);
  }

  show(model, index) {
    this.model = model;
    this.index = index;
    this.decision = model.file.explained[index];
    this.box.replaceChildren(this.head(), ...this.decision.heads.flatMap((head) => this.part(head)));
    return this.decision.time_s;
  }

  head() {
    const { decision, decisions, time_s } = this.decision;
    const count = this.model.file.explained.length;
    const step = (by, name, text) =>
      park.element(
        "button",
        {
          type: "button",
          "aria-label": name,
          disabled: this.index + by < 0 || this.index + by >= count ? "" : null,
          onclick: () => this.on(this.show(this.model, this.index + by)),
        },
        text,
      );
    return park.element(
      "div",
      { style: "display:flex;gap:8px;align-items:center" },
      park.element(
        "div",
        { style: "flex:1;overflow-wrap:anywhere" },
        park.element("b", null, "Decision " + decision + " at " + park.seconds(time_s)),
        park.element("div", { class: "muted" }, this.model.policy + ", one of " + park.number(decisions)),
      ),
      step(-1, "explained decision before", "\u2190"),
      step(1, "explained decision after", "\u2192"),
    );
  }

  part(head) {
    const { surrogate } = head;
    const agrees = surrogate.agrees ? ", as the policy does." : ", not what the policy takes.";
    return [
      park.element("h3", null, head.head + ": " + head.choice + ", one of " + head.legal + " candidates"),
      this.candidates(head),
      park.element(
        "p",
        null,
        "A tree that imitates the policy takes " + surrogate.choice + agrees,
        park.element(
          "span",
          { class: "muted" },
          " It agrees in " + surrogate.agreed + " of " + surrogate.compared + " choices of this episode.",
        ),
      ),
      ...surrogate.levels.map((level) => this.level(level)),
      park.element("p", { class: "change" }, this.change(head)),
    ];
  }

  /** Candidates are columns, as they are compared leaf by leaf. */
  candidates({ candidates, legal, choice }) {
    const shown = candidates.slice(0, park.ExplainPanel.CANDIDATES);
    const row = (name, value) =>
      park.element(
        "tr",
        null,
        park.element("td", null, name),
        shown.map((one) => park.element("td", { class: one.value === choice ? "best" : null }, value(one))),
      );
    const rows = [
      candidates[0].score === null ? null : row("score", ({ score }) => park.number(score)),
      ...Object.keys(candidates[0].refers_to).map((group) => row(group, (one) => one.refers_to[group])),
      ...Object.keys(candidates[0].leaves).map((leaf) => row(leaf, (one) => park.number(one.leaves[leaf]))),
    ];
    const title = shown.length < legal ? "Candidates, " + shown.length + " of " + legal : "Candidates";
    return park.element(
      "details",
      null,
      park.element("summary", null, title),
      park.element(
        "div",
        { class: "scroll candidates" },
        park.element(
          "table",
          null,
          park.element(
            "thead",
            null,
            park.element(
              "tr",
              null,
              park.element("th"),
              shown.map(({ value }) => park.element("th", null, value)),
            ),
          ),
          park.element("tbody", null, rows),
        ),
      ),
    );
  }

  level({ level, items, before, path, value, base, shap }) {
    const place = items > 1 ? ": place " + (before + 1) + " of " + items : "";
    const reasons = [...shap]
      .sort((a, b) => Math.abs(b.shap) - Math.abs(a.shap))
      .slice(0, park.ExplainPanel.REASONS)
      .filter((one) => one.shap !== 0);
    const largest = Math.max(1e-12, ...reasons.map((one) => Math.abs(one.shap)));
    return park.element(
      "div",
      { class: "reasons" },
      park.element("b", null, level + place),
      path.map(({ feature, value: is, at_most, yes }) =>
        park.element(
          "div",
          null,
          feature + " = " + park.number(is) + (yes ? " \u2264 " : " > ") + park.number(at_most),
        ),
      ),
      park.element("div", { class: "muted" }, park.number(value) + " = " + park.number(base) + " and"),
      reasons.map((one) => this.bar(one, largest)),
    );
  }

  bar({ feature, value, shap }, largest) {
    const width = (100 * Math.abs(shap)) / largest;
    const sign = shap > 0 ? "+" : "\u2212";
    return park.element(
      "div",
      { class: "reason" },
      park.element("span", null, feature + " = " + park.number(value)),
      park.element("span", { class: "number" }, sign + park.number(Math.abs(shap))),
      park.element("i", { class: shap > 0 ? "more" : "less", style: "width:" + width + "%" }),
    );
  }

  change({ change, asked }) {
    if (!change) return "No change of one leaf was found that changes the choice, in " + asked + " rows.";
    const { leaf, element, entry, from, to, choice } = change;
    const name = leaf + (entry > 0 ? "[" + entry + "]" : "") + (element === null ? "" : " of element " + element);
    const deviations = park.number(change.standard_deviations) + " standard deviations";
    const values = park.number(to) + " and not " + park.number(from);
    return "With " + name + " at " + values + " (" + deviations + ") the policy would take " + choice + ".";
  }
};
