package park.sdk;

import java.util.List;

/** A small environment of the tests: stages of jobs, of which one is chosen, and a limit for it. */
final class Shop {
  static final Spec SPEC = new Spec("shop",
      new Space(List.of(
          Leaf.of("time", DType.F64, 0, 1e9).unit("s"),
          Leaf.of("size", DType.F32, -5, 5).shape(List.of(2L)),
          Leaf.of("stage.job", DType.I32, 0, 9).group("stages").indexOf("jobs"),
          Leaf.of("mask.stage", DType.U8, 0, 1).group("stages"),
          Leaf.of("limit.min", DType.I32, 0, 99).group("jobs"),
          Leaf.of("limit.max", DType.I32, 0, 99).group("jobs"),
          Leaf.of("mask.speed", DType.U8, 0, 1).shape(List.of(3L)).group("stages"),
          Leaf.of("info.id", DType.I64, -1e18, 1e18)),
          List.of(new Group("stages", 5), new Group("jobs", 3))),
      new Space(List.of(
          Leaf.of("stage", DType.I32, 0, 4).indexOf("stages"),
          Leaf.of("limit", DType.I32, 0, 99).given(List.of("stage", "stage.job")),
          Leaf.of("speed", DType.I32, 1, 3).given(List.of("stage")),
          Leaf.of("share", DType.F32, 0, 1)), List.of()),
      List.of(new Metric("cost", "1", true, "what it costs")));

  private Shop() {}

  /** Row r has r + 2 stages of 2 jobs; stage s is of job s mod 2; stage 0 is not allowed. */
  static Rows observation(int count) {
    int[] stages = new int[count];
    int[] jobs = new int[count];
    for (int row = 0; row < count; ++row) {
      stages[row] = row + 2;
      jobs[row] = 2;
    }
    Rows rows = Rows.zeros(SPEC.observation(), count, stages, jobs);
    for (int row = 0; row < count; ++row) {
      rows.set("time", row, row + 0.5);
      rows.set("size", row, -1.5);
      int first = rows.start("stage.job", row);
      for (int s = 0; s < stages[row]; ++s) {
        rows.column("stage.job").asIntBuffer().put(first + s, s % 2);
        rows.column("mask.stage").put(first + s, (byte) (s == 0 ? 0 : 1));
        rows.column("mask.speed").put(3 * (first + s) + s % 3, (byte) 1);
      }
      int job = rows.start("limit.min", row);
      rows.column("limit.min").asIntBuffer().put(job, 1).put(job + 1, 10);
      rows.column("limit.max").asIntBuffer().put(job, 3).put(job + 1, 20);
    }
    return rows;
  }

  /** One legal row. */
  static Rows actions(int stage, int limit, int speed, double share) {
    Rows actions = Rows.zeros(SPEC.action(), 1);
    actions.set("stage", 0, stage);
    actions.set("limit", 0, limit);
    actions.set("speed", 0, speed);
    actions.set("share", 0, share);
    return actions;
  }
}
