// The disciplines of queues as policies. Each hands the queue over to the built-in discipline of
// that name (net/hand_over.h), which then acts on every packet. `park tune` tunes a field of each.
// KnownPath is a bound. register.cc adds them.
#pragma once

#include <string_view>

#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/aqm/layout.h"

namespace park::aqm {

/// Answers every question alike.
class HandsOver : public RowPolicy {
 public:
  HandsOver(const Spec&, int kind, double parameter);

 private:
  void choose(const Ask&, ConstRow, Row action) final;
  QueueLayout layout_;
  float code_;
};

struct TailDropConfig {
  double packets = 0;

  bool operator==(const TailDropConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("packets", c.packets,
          FieldDoc{.doc = "packets that it holds; 0: all that the queue can",
                   .unit = "packets",
                   .min = 0,
                   .max = 9e3,
                   .tune = "0|10|20|40|80|160|320|640"});
  }
};
/// Drops what does not fit.
class TailDrop final : public HandsOver {
 public:
  using Config = TailDropConfig;
  [[nodiscard]] static PolicyInfo info();
  TailDrop(const Config&, const Spec&);
};

struct RedConfig {
  double min_packets = 5;

  bool operator==(const RedConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit(
        "min_packets", c.min_packets,
        FieldDoc{.doc = "average backlog at which drops begin; the slope ends at three times that",
                 .unit = "packets",
                 .min = 0.1,
                 .max = 3e3,
                 .tune = "2|5|10|20|40|80|160|320"});
  }
};
/// Floyd, Jacobson, IEEE/ACM Transactions on Networking 1(4), 1993.
class RedPolicy final : public HandsOver {
 public:
  using Config = RedConfig;
  [[nodiscard]] static PolicyInfo info();
  RedPolicy(const Config&, const Spec&);
};

/// The field of disciplines with a target.
template <int kStandardMs>
struct TargetConfig {
  double target_ms = kStandardMs;

  bool operator==(const TargetConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("target_ms", c.target_ms,
          FieldDoc{.doc = "queueing delay that it aims at",
                   .unit = "ms",
                   .min = 0.1,
                   .max = 1e3,
                   .tune = "1|2|3|5|7|10|15|20|30|50|80"});
  }
};

/// RFC 8289, with its interval of 100 ms.
class CodelPolicy final : public HandsOver {
 public:
  using Config = TargetConfig<5>;
  [[nodiscard]] static PolicyInfo info();
  CodelPolicy(const Config&, const Spec&);
};

/// RFC 8033.
class PiePolicy final : public HandsOver {
 public:
  using Config = TargetConfig<15>;
  [[nodiscard]] static PolicyInfo info();
  PiePolicy(const Config&, const Spec&);
};

/// RFC 8290: CoDel in a queue for each flow.
class FqCodelPolicy final : public HandsOver {
 public:
  using Config = TargetConfig<5>;
  [[nodiscard]] static PolicyInfo info();
  FqCodelPolicy(const Config&, const Spec&);
};

/// RFC 9332. Without scalable senders it is PI2 of the classic queue.
class DualPi2Policy final : public HandsOver {
 public:
  using Config = TargetConfig<15>;
  [[nodiscard]] static PolicyInfo info();
  DualPi2Policy(const Config&, const Spec&);
};

struct KnownPathConfig {
  double bdp = 0.25;

  bool operator==(const KnownPathConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("bdp", c.bdp,
          FieldDoc{.doc = "packets that it holds, in mean bandwidth-delay products of the path",
                   .min = 0.01,
                   .max = 10,
                   .tune = "0.1|0.15|0.2|0.25|0.3|0.4|0.5|0.75|1"});
  }
};
/// Tail drop with a limit that follows from the link's mean rate and the round trip, which no queue
/// knows. It is a bound of what a right size of the buffer alone could do.
class KnownPath final : public HandsOver {
 public:
  using Config = KnownPathConfig;
  [[nodiscard]] static PolicyInfo info();
  KnownPath(const Config&, const Spec&);
};

}  // namespace park::aqm
