// The page of a workload: its jobs and their graphs, durations against executors, distributions.
"use strict";

park.WorkloadPage = class {
  static MOST_ROWS = 500;
  static READABLE = 60; // stages of the job that is shown first, at most
  static WAVES = ["fresh", "first", "rest"];

  constructor(data) {
    this.data = data;
    this.jobs = data.jobs.map((job, number) => ({
      ...job,
      number,
      parallelism: job.critical_path_s > 0 ? job.work_s / job.critical_path_s : null,
    }));
    park.find("title").textContent = "Workload " + data.name;
    park.find("file").textContent = data.file;
    park.find("provenance").textContent = data.provenance;
    this.figures(park.find("figures"), { jobs: this.jobs.length, ...data.total });
    this.setUpJobs();
    this.charts = [];
    const readable = this.jobs.filter((job) => job.graph && job.stages <= park.WorkloadPage.READABLE);
    this.choose((readable.length ? readable : this.jobs).reduce((a, b) => (b.stages > a.stages ? b : a)));
    this.setUpDurations();
    this.setUpDistributions();
  }

  figures(list, job) {
    const items = [
      ["jobs", job.jobs],
      ["stages", job.stages],
      ["edges", job.edges],
      ["tasks", job.tasks],
      ["levels", job.levels],
      ["work", job.work_s, "s"],
      ["longest critical path", job.jobs && job.critical_path_s, "s"],
      ["critical path", job.jobs ? undefined : job.critical_path_s, "s"],
      ["parallelism", job.parallelism],
      ["measured tasks", job.samples],
    ];
    list.replaceChildren(
      ...items
        .filter(([, value]) => value !== undefined)
        .map(([name, value, unit]) =>
          park.element(
            "li",
            null,
            park.element("b", null, park.quantity(name, value, unit)),
            park.element("span", null, name),
          ),
        ),
    );
  }

  // The list of jobs, and the chosen one.

  setUpJobs() {
    const number = (title, key) => ({
      title,
      value: (job) => job[key] || 0,
      text: (job) => park.number(job[key]),
    });
    this.table = park.table(
      [
        { title: "job", left: true, value: (job) => job.name },
        number("stages", "stages"),
        number("levels", "levels"),
        number("tasks", "tasks"),
        number("work s", "work_s"),
        number("critical path s", "critical_path_s"),
        number("parallelism", "parallelism"),
      ],
      [],
      { choose: (job) => this.choose(job), key: (job) => job.number, most: park.WorkloadPage.MOST_ROWS },
    );
    park.find("jobs").replaceChildren(this.table.table);
    park.find("search").addEventListener("input", () => this.showJobs());
    this.showJobs();
  }

  showJobs() {
    const query = park.find("search").value.trim().toLowerCase();
    const found = this.jobs.filter((job) => job.name.toLowerCase().includes(query));
    this.table.show(found);
    const total = this.jobs.length === 1 ? "1 job" : park.number(this.jobs.length) + " jobs";
    let text = query ? park.number(found.length) + " of " + total : total;
    if (found.length > park.WorkloadPage.MOST_ROWS)
      text += ", " + park.WorkloadPage.MOST_ROWS + " listed: search or sort for others";
    park.find("found").textContent = text;
  }

  choose(job) {
    this.job = job;
    park.find("job").hidden = !job;
    if (!job) return;
    this.table.mark(job.number);
    park.find("job-name").textContent = job.name;
    this.figures(park.find("job-figures"), { ...job, jobs: undefined });
    this.drawGraph();
    if (this.jobDurations) this.jobDurations.draw();
  }

  nodes() {
    const full = park.palette[0];
    const work = (stage) => stage.tasks * stage.mean_task_s;
    return this.job.graph.map((stage, i) => {
      const share = this.job.work_s > 0 ? work(stage) / this.job.work_s : 0;
      const blend = park.blend(full, park.dark() ? "#1c2027" : "#f5f6f8", Math.sqrt(share));
      return {
        parents: stage.parents,
        fill: blend,
        border: full,
        ink: park.inkOn(blend),
        label: "stage " + i + "\n" + park.number(stage.tasks) + " \u00d7 " + park.seconds(stage.mean_task_s),
      };
    });
  }

  drawGraph() {
    if (this.graph) this.graph.dispose();
    this.graph = null;
    const box = park.find("dag");
    if (!this.job.graph) {
      box.replaceChildren(
        park.element(
          "p",
          { class: "empty" },
          "The page holds the graphs of the first " + park.number(this.data.graphs) + " jobs only.",
        ),
      );
      return;
    }
    this.graph = park.drawDag(box, this.nodes(), {
      size: { width: 92, height: 36 },
      choose: () => {},
      describe: (i) => this.describe(this.job.graph[i], i),
    });
  }

  describe(stage, i) {
    const facts = Object.entries(stage)
      .filter(([name]) => name !== "parents")
      .map(([name, value]) => [park.label(name), park.quantity(name, value)]);
    facts.push(["work", park.seconds(stage.tasks * stage.mean_task_s)]);
    facts.push(["waits for", stage.parents.length ? stage.parents.join(", ") : "nothing"]);
    return (
      "<b>stage " +
      i +
      "</b><div class='facts'>" +
      facts
        .map(
          ([name, value]) => "<span>" + park.escape(name) + "</span><span>" + park.escape(value) + "</span>",
        )
        .join("") +
      "</div>"
    );
  }

  // Charts.

  /** A chart with a caption in a box of charts; empty(): what is said where there is nothing to draw. */
  figure(box, caption, option) {
    const plot = park.element("div", { class: "plot", role: "img", "aria-label": caption });
    park.find(box).append(park.element("figure", null, park.element("figcaption", null, caption), plot));
    const made = park.chart(plot, option);
    this.charts.push(made.chart);
    return made;
  }

  setUpDurations() {
    this.figure("durations", "All jobs: task duration relative to the mean of its stage", () =>
      this.durationOption(this.data.durations, "relative_mean", "times the stage's mean"),
    );
    this.jobDurations = this.figure("durations", "The chosen job: mean task duration", () =>
      this.durationOption((this.job && this.job.durations) || [], "mean_s", "s"),
    );
  }

  durationOption(levels, key, unit) {
    const waves = park.WorkloadPage.WAVES.filter((wave) => levels.some((level) => level.wave === wave));
    const series = waves.map((wave) => {
      const w = park.WorkloadPage.WAVES.indexOf(wave);
      const { color, line } = park.policyStyle(w);
      return {
        type: "line",
        name: wave,
        lineStyle: line,
        itemStyle: { color },
        symbolSize: 7,
        symbol: ["circle", "rect", "triangle"][w],
        emphasis: { disabled: true },
        data: levels
          .filter((level) => level.wave === wave)
          .map((level) => ({ value: [level.executors, level[key]], level })),
      };
    });
    const spread = (level) =>
      "10 % to 90 %: " +
      park.number(level.relative_p10) +
      " to " +
      park.number(level.relative_p90) +
      " times the stage's mean<br>" +
      park.number(level.samples) +
      " tasks";
    return {
      ...park.baseOption(),
      title: levels.length
        ? []
        : [
            {
              text: "no measured durations",
              left: "center",
              top: "middle",
              textStyle: { color: park.color("muted"), fontSize: 13, fontWeight: 400 },
            },
          ],
      legend: { top: 2, right: 4, itemWidth: 26, textStyle: { color: park.color("muted"), fontSize: 12 } },
      grid: { left: 52, right: 14, top: 34, bottom: 42 },
      tooltip: park.tooltip({
        trigger: "item",
        formatter: ({ data: { value, level }, seriesName }) =>
          "<b>" +
          seriesName +
          ", " +
          park.number(value[0]) +
          " executors</b>" +
          park.number(value[1]) +
          " " +
          unit +
          "<br>" +
          spread(level),
      }),
      xAxis: park.axis({
        type: "log",
        name: "executors",
        nameLocation: "middle",
        nameGap: 26,
        axisLabel: { formatter: park.number },
      }),
      yAxis: park.axis({
        type: "value",
        name: unit,
        min: 0,
        splitLine: { show: true },
        nameTextStyle: { align: "left" },
        axisLabel: { formatter: park.number },
      }),
      series,
    };
  }

  setUpDistributions() {
    const of = (key) => this.jobs.map((job) => job[key]).filter((value) => value !== null && value > 0);
    const all = [
      ["Work of a job", "s", of("work_s"), "jobs"],
      ["Critical path of a job", "s", of("critical_path_s"), "jobs"],
      ["Tasks of a job", "tasks", of("tasks"), "jobs"],
      ["Stages of a job", "stages", of("stages"), "jobs"],
      ["Parallelism of a job: work / critical path", "executors", of("parallelism"), "jobs"],
      [
        "Mean task duration of a stage",
        "s",
        this.data.stage_mean_task_s.filter((value) => value > 0),
        "stages",
      ],
    ];
    for (const [caption, unit, values, what] of all) {
      values.sort((a, b) => a - b);
      this.figure("distributions", caption, () => this.distributionOption(values, unit, what));
    }
  }

  /** Bins of equal width in the logarithm. */
  static bins(values) {
    const low = values[0];
    const high = values[values.length - 1];
    if (!(high > low)) return [[low * 0.9, high * 1.1, values.length]];
    const count = Math.max(6, Math.min(40, Math.ceil(Math.sqrt(values.length) * 1.5)));
    const step = Math.log(high / low) / count;
    const bins = Array.from({ length: count }, (_, b) => [
      low * Math.exp(b * step),
      low * Math.exp((b + 1) * step),
      0,
    ]);
    for (const value of values) ++bins[Math.min(count - 1, Math.floor(Math.log(value / low) / step))][2];
    return bins;
  }

  /** The steps of the empirical distribution function, 2000 at most. */
  static steps(values) {
    const every = Math.max(1, Math.ceil(values.length / 2000));
    const steps = [[values[0], 0]];
    for (let i = 0; i < values.length; i += every) steps.push([values[i], (i + 1) / values.length]);
    steps.push([values[values.length - 1], 1]);
    return steps;
  }

  distributionOption(values, unit, what) {
    if (values.length === 0) {
      return { ...park.baseOption(), title: [{ text: "nothing to show", left: "center", top: "middle" }] };
    }
    const bins = park.WorkloadPage.bins(values);
    const median = values[Math.ceil(values.length / 2) - 1];
    const area = park.color("area");
    const bar = (params, api) => {
      const [x0, y] = api.coord([api.value(0), api.value(2)]);
      const [x1, base] = api.coord([api.value(1), 0]);
      return {
        type: "rect",
        shape: { x: x0 + 0.5, y, width: Math.max(1, x1 - x0 - 1), height: base - y },
        style: { fill: area },
      };
    };
    return {
      ...park.baseOption(),
      grid: { left: 44, right: 48, top: 26, bottom: 42 },
      tooltip: park.tooltip({
        trigger: "item",
        formatter: ({ value }) =>
          park.number(value[0]) +
          " to " +
          park.number(value[1]) +
          " " +
          unit +
          ": " +
          park.number(value[2]) +
          " " +
          what,
      }),
      xAxis: park.axis({
        type: "log",
        min: bins[0][0],
        max: bins[bins.length - 1][1],
        name: unit,
        nameLocation: "middle",
        nameGap: 26,
        minorTick: { show: true },
        axisLabel: { formatter: park.number, showMinLabel: false, showMaxLabel: false },
      }),
      yAxis: [
        park.axis({
          type: "value",
          min: 0,
          max: 1,
          interval: 0.25,
          splitLine: { show: true },
          axisLabel: { formatter: (share) => share * 100 + " %" },
        }),
        park.axis({
          type: "value",
          min: 0,
          minInterval: 1,
          splitNumber: 4,
          name: what,
          axisLabel: { formatter: park.number },
        }),
      ],
      series: [
        { type: "custom", yAxisIndex: 1, renderItem: bar, data: bins, encode: { x: [0, 1], y: 2 }, z: 2 },
        {
          type: "line",
          step: "end",
          symbol: "none",
          silent: true,
          z: 3,
          data: park.WorkloadPage.steps(values),
          lineStyle: { color: park.color("text"), width: 1.75 },
          itemStyle: { color: park.color("text") },
          markLine: {
            symbol: "none",
            silent: true,
            data: [{ xAxis: median }],
            lineStyle: { color: park.color("mark"), type: "dashed" },
            label: { formatter: "median " + park.number(median), color: park.color("mark"), fontSize: 11 },
          },
        },
      ],
    };
  }
};

park.setUpTheme();
park.page = new park.WorkloadPage(park.data);
park.themed.push(() => park.page.graph && park.page.graph.update(park.page.nodes()));
park.tellReady(...park.page.charts);
