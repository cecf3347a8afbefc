// The report of a distillation: comparisons, sizes and agreement around the tree.
"use strict";

park.DistillReport = class {
  constructor(distill) {
    this.all = distill;
    park.find("title").textContent = "A tree of " + distill.teacher;
    park.find("about").textContent = distill.env;
    park.find("made").textContent =
      "Seed " + distill.seed + ", " + distill.rounds.length + " rounds of " + distill.episodes + " episodes; round " +
      distill.best + " is written to " + distill.file;
    this.compare();
    this.drawSizes();
    this.drawRounds();
    this.ablate();
    this.agree();
  }

  compare() {
    const { policies, metric, phase, episodes, seed } = this.all.comparison;
    const { range } = park.report;
    const columns = [
      { title: "policy", value: (row) => row.policy, left: true },
      { title: metric, value: (row) => row.mean, text: (row) => park.number(row.mean) },
      { title: "95 % interval", value: (row) => row.ci95[0], text: (row) => range(row.ci95) },
      { title: "to the teacher", value: (row) => row.ratio, text: (row) => park.number(row.ratio) },
      {
        title: "difference",
        value: (row) => row.difference.mean,
        text: (row) => park.number(row.difference.mean) + " " + range(row.difference.ci95),
      },
      { title: "\u00b5s per decision", value: (row) => row.decision_us, text: (row) => park.number(row.decision_us) },
    ];
    park
      .find("comparison")
      .append(
        park.element("p", null, episodes + " episodes of seed " + seed + " (" + phase + ")"),
        park.element("div", { class: "scroll" }, park.table(columns, policies).table),
      );
  }

  /** A row for each head that the student chooses alone. */
  ablate() {
    const { ablation, comparison } = this.all;
    if (ablation.length === 0) {
      park.find("ablation").append(
        park.element("p", null, "One head alone, or a teacher that has no scores: there is nothing to mix."),
      );
      return;
    }
    const columns = [
      { title: "head by the student", value: (row) => row.student_head, left: true },
      { title: comparison.metric, value: (row) => row.mean, text: (row) => park.number(row.mean) },
      { title: "to the teacher", value: (row) => row.ratio, text: (row) => park.number(row.ratio) },
      {
        title: "difference",
        value: (row) => row.difference.mean,
        text: (row) => park.number(row.difference.mean) + " " + park.report.range(row.difference.ci95),
      },
    ];
    park.find("ablation").append(park.element("div", { class: "scroll" }, park.table(columns, ablation).table));
  }

  drawSizes() {
    const { sizes, metric, teacher_mean: teacher } = this.all;
    const points = sizes.map(({ leaves, mean }) => [leaves, mean]);
    const ends = [points[0][0], points[points.length - 1][0]];
    const names = ["trees", "teacher"];
    park.figure(park.find("charts"), {
      name: "sizes",
      caption: "Leaves of all trees, and the mean on validation episodes",
      height: park.report.heightOfLines(names),
      option: (width) =>
        park.report.lines(
          [
            { name: names[0], style: 0, points },
            { name: names[1], style: 1, points: ends.map((x) => [x, teacher]) },
          ],
          width,
          { x: "leaves", y: metric, more: { x: { type: "log", logBase: 2 } } },
        ),
    });
  }

  drawRounds() {
    const { rounds, metric } = this.all;
    park.figure(park.find("charts"), {
      name: "rounds",
      caption: "The tree after each round",
      height: park.report.heightOfLines(["student"]),
      option: (width) =>
        park.report.lines(
          [{ name: "student", style: 0, points: rounds.map(({ round, mean }) => [round, mean]) }],
          width,
          { x: "round", y: metric, more: { x: { minInterval: 1 } } },
        ),
    });
  }

  /** A row for each head, kind of decision and who plays. */
  agree() {
    const percent = (share) => (share === null ? "\u2013" : park.number(Math.round(1000 * share) / 10) + " %");
    const rows = [
      ["teacher", this.all.agreement],
      ["student", this.all.agreement_on_student],
    ].flatMap(([plays, heads]) =>
      heads.flatMap(({ head, forced, ruled, free }) => [
        { head, plays, kind: "forced", decisions: forced, first: forced > 0 ? 1 : null, first_three: forced > 0 ? 1 : null },
        { head, plays, kind: "ruled", ...ruled },
        { head, plays, kind: "free", ...free },
      ]),
    );
    const columns = [
      { title: "head", value: (row) => row.head, left: true },
      { title: "who plays", value: (row) => row.plays, left: true },
      { title: "decisions", value: (row) => row.kind, left: true },
      { title: "how many", value: (row) => row.decisions },
      { title: "first", value: (row) => row.first, text: (row) => percent(row.first) },
      { title: "one of three", value: (row) => row.first_three, text: (row) => percent(row.first_three) },
    ];
    park.find("agreement").append(park.element("div", { class: "scroll" }, park.table(columns, rows).table));
  }
};

park.page = new park.DistillReport(park.data.distill);
park.tellReady();
