// The side of the page: a list of jobs that one searches, and the chosen job with its graph.
"use strict";

park.JobList = class {
  static LONGEST = 300;

  /** choose(number) is called for a job that is chosen, search(numbers or null) for a query. */
  constructor(models, { choose, search }) {
    this.models = models;
    this.choose = choose;
    const all = new Map();
    for (const model of models)
      for (const [number, job] of model.jobs) if (!all.has(number)) all.set(number, job);
    this.jobs = [...all.values()].sort((a, b) => a.number - b.number);
    this.input = park.find("search");
    this.input.addEventListener("input", () => {
      this.show();
      search(this.input.value.trim() ? new Set(this.matches.map((job) => job.number)) : null);
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.matches.length > 0) choose(this.matches[0].number);
    });
    this.show();
  }

  /** "#12" or "12" finds a number (a name too), anything else what is in a name. */
  find(query) {
    const text = query.trim().toLowerCase();
    if (!text) return this.jobs;
    if (text.startsWith("#")) return this.jobs.filter((job) => String(job.number) === text.slice(1));
    return this.jobs.filter((job) => String(job.number) === text || job.name.toLowerCase().includes(text));
  }

  clear() {
    this.input.value = "";
    this.show();
  }

  mark(number) {
    this.chosen = number;
    const list = park.find("jobs");
    for (const button of list.querySelectorAll("button")) {
      const pressed = button.dataset.job === String(number);
      button.setAttribute("aria-pressed", String(pressed));
      if (!pressed) continue;
      const top = button.offsetTop - list.offsetTop;
      const seen = top >= list.scrollTop && top + button.offsetHeight <= list.scrollTop + list.clientHeight;
      if (!seen) list.scrollTop = top - list.clientHeight / 2;
    }
  }

  show() {
    this.matches = this.find(this.input.value);
    const total = this.jobs.length;
    const query = this.input.value.trim();
    let text = total === 1 ? "1 job" : park.number(total) + " jobs";
    if (query) text = this.matches.length === 0 ? "no job is called so" : this.matches.length + " of " + text;
    if (this.matches.length > park.JobList.LONGEST) text += ", the first " + park.JobList.LONGEST + " listed";
    park.find("found").textContent = text;
    park
      .find("jobs")
      .replaceChildren(...this.matches.slice(0, park.JobList.LONGEST).map((job) => this.line(job)));
    this.mark(this.chosen);
  }

  line(job) {
    const arrival = job.arrival === null ? "" : "at " + park.seconds(job.arrival);
    return park.element(
      "li",
      null,
      park.element(
        "button",
        { type: "button", "data-job": job.number, onclick: () => this.choose(job.number) },
        park.element("span", { class: "swatch", style: "background:" + park.jobColor(job.number) }),
        park.element("span", { title: job.name }, "#" + job.number + " " + job.name),
        park.element("span", { class: "muted" }, arrival),
      ),
    );
  }
};

park.JobPanel = class {
  /** close() is called when nobody wants the job any more; stage(index or null) for a chosen stage. */
  constructor(models, { close, stage, policy }) {
    this.models = models;
    this.on = { close, stage, policy };
    this.box = park.find("job");
    this.show(null);
  }

  /** A job under a policy, with the progress at a time (null: the end). */
  show(number, model, time) {
    this.dispose();
    this.number = number;
    this.model = model;
    this.time = time;
    this.stage = null;
    if (number === null) {
      this.box.replaceChildren(
        park.element(
          "span",
          { class: "muted" },
          "Click a span or a job of the list: what became of it is shown here.",
        ),
      );
      return;
    }
    this.job = model.jobs.get(number);
    this.box.replaceChildren(this.head(), this.comparison(), ...this.graph());
    this.refresh();
  }

  head() {
    const swatch = park.element("span", {
      class: "swatch",
      style: "background:" + park.jobColor(this.number),
    });
    return park.element(
      "div",
      { style: "display:flex;gap:8px;align-items:center;margin-bottom:8px" },
      swatch,
      park.element(
        "h2",
        { style: "margin:0;flex:1;overflow-wrap:anywhere" },
        "#" + this.number + " " + this.job.name,
      ),
      park.element(
        "button",
        { type: "button", "aria-label": "close", title: "close: Esc", onclick: this.on.close },
        "\u00d7",
      ),
    );
  }

  /** What became of the job under every policy. */
  comparison() {
    const rows = this.models.map((model) => {
      const job = model.jobs.get(this.number);
      const arrival = job ? job.arrival : null;
      const completion = job ? job.completion : null;
      return {
        model,
        arrival,
        completion,
        time: completion === null || arrival === null ? null : completion - arrival,
      };
    });
    const { table } = park.table(
      [
        { title: "policy", left: true, value: (row) => row.model.policy },
        { title: "arrival", value: (row) => row.arrival, text: (row) => park.seconds(row.arrival) },
        { title: "completion", value: (row) => row.completion, text: (row) => park.seconds(row.completion) },
        { title: "time", value: (row) => row.time, text: (row) => park.seconds(row.time) },
      ],
      rows,
      { choose: (row) => this.on.policy(row.model), key: (row) => row.model === this.model && "shown" },
    );
    table.querySelectorAll("tbody tr")[this.model.index].classList.add("chosen");
    return park.element("div", { class: "scroll" }, table);
  }

  graph() {
    if (this.job.stages.length === 0) return [];
    this.dag = park.element("div", { class: "dag", id: "dag" });
    this.when = park.element("div", { class: "muted", style: "margin-top:8px" });
    this.stageTable = park.table(this.columns(), [], {
      choose: (row) => this.chooseStage(row.stage),
      key: (row) => row.stage,
    });
    return [this.when, this.dag, park.element("div", { class: "scroll" }, this.stageTable.table)];
  }

  columns() {
    return [
      { title: "stage", value: (row) => row.stage },
      { title: "tasks done", value: (row) => row.done, text: (row) => row.done + " / " + row.tasks },
      { title: "mean task", value: (row) => row.mean || 0, text: (row) => park.seconds(row.mean) },
      {
        title: "start",
        value: (row) => (row.first === null ? Infinity : row.first),
        text: (row) => park.seconds(row.first),
      },
      {
        title: "end",
        value: (row) => (row.ended === null ? Infinity : row.ended),
        text: (row) => park.seconds(row.ended),
      },
    ];
  }

  /** The stages at the time that is shown. */
  stages() {
    const time = this.time === null ? Infinity : this.time;
    return this.model.progress(this.job, time).map((seen, stage) => {
      const plan = this.job.stages[stage];
      const tasks = plan.tasks === undefined ? seen.started : plan.tasks;
      return {
        ...seen,
        stage,
        plan,
        tasks,
        mean: seen.done ? seen.busy / seen.done : null,
        ended: seen.done === tasks && tasks > 0 ? seen.last : null,
      };
    });
  }

  nodes() {
    const color = park.jobColor(this.number);
    return this.stages().map((stage) => {
      const share = stage.tasks > 0 ? stage.done / stage.tasks : 0;
      return {
        parents: stage.plan.parents,
        fill: park.progressFill(color, share),
        border: color,
        ink: share >= 1 ? park.inkOn(color) : undefined,
        chosen: stage.stage === this.stage,
        label: stage.stage + "\n" + (stage.tasks === 1 ? "1 task" : park.number(stage.tasks) + " tasks"),
      };
    });
  }

  describe(index) {
    const stage = this.stages()[index];
    const plan = Object.entries(stage.plan)
      .filter(([name]) => name !== "parents")
      .map(([name, value]) => [park.label(name), park.quantity(name, value)]);
    const facts = [
      ...plan,
      ["started", park.number(stage.started)],
      ["done", park.number(stage.done)],
      ["mean here", park.seconds(stage.mean)],
      ["first start", park.seconds(stage.first)],
      ["last end", park.seconds(stage.last)],
    ];
    return (
      "<b>stage " +
      index +
      "</b><div class='facts'>" +
      facts
        .map(
          ([name, value]) => "<span>" + park.escape(name) + "</span><span>" + park.escape(value) + "</span>",
        )
        .join("") +
      "</div>"
    );
  }

  /** Draws what depends on the time, the theme or the chosen stage. */
  refresh() {
    if (this.number === null || this.job.stages.length === 0) return;
    this.when.textContent =
      this.time === null
        ? "Progress at the end; click into the lanes for another time."
        : "Progress at " + park.seconds(this.time) + ", under " + this.model.policy + ".";
    if (!this.drawn) {
      this.drawn = park.drawDag(this.dag, this.nodes(), {
        size: { width: 68, height: 34 },
        describe: (stage) => this.describe(stage),
        choose: (stage) => this.chooseStage(stage),
      });
    } else this.drawn.update(this.nodes());
    this.stageTable.show(this.stages());
    this.stageTable.mark(this.stage);
  }

  chooseStage(stage) {
    this.stage = this.stage === stage ? null : stage;
    this.refresh();
    this.on.stage(this.stage);
  }

  dispose() {
    if (this.drawn) this.drawn.dispose();
    this.drawn = null;
  }
};
