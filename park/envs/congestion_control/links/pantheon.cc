// Reads the members of pantheon_metadata.json that say what is emulated. Mahimahi's shells come as
// words of a command line: those in prepend_mm_cmds stand outside of mm-link, so a packet meets them
// behind the link; extra_mm_link_args are options of mm-link, whose uplink leads from the sender to
// the receiver.
#include "park/envs/congestion_control/links/pantheon.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "park/core/error.h"
#include "park/core/text.h"
#include "park/files/json_tree.h"
#include "park/files/lines.h"

namespace park::congestion_control::links {
namespace {

using files::JsonValue;

constexpr double kMostPackets = 1e6, kPacketBytes = 1500;

/// The words of a member, one after the other.
class Words {
 public:
  Words(std::string member, std::string_view text) : member_(std::move(member)), rest_(text) {}

  /// The next one, or "".
  std::string_view next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\n"));
    rest_.remove_prefix(word.size());
    return word;
  }
  /// The next one as a number.
  double number(double low, double high, const std::string& what) {
    const std::string_view word = next();
    const std::optional<double> found = files::number_in(word, low, high);
    if (!found)
      fail(what + " is '" + std::string(word) + "'; allowed are " + number_text(low) + " to " +
           number_text(high));
    return *found;
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Errc::bad_file, member_ + ": " + why);
  }

 private:
  std::string member_;
  std::string_view rest_;
};

class Reader {
 public:
  Reader() {
    made_.config.preset = "park";  // one link that does not change; all of its figures are replaced
    made_.config.loss = 0;
    made_.config.queue_packets = static_cast<std::int32_t>(kMostPackets);
  }

  void member(std::string_view key, const JsonValue& value) {
    if (key == "mode") {
      if (text(key, value) != "local") fail(key, "must be local: only then a link is emulated");
      local_ = true;
    } else if (key == "uplink_trace") {
      made_.uplink_trace = text(key, value);
    } else if (key == "downlink_trace") {
      downlink_trace_ = text(key, value);
    } else if (key == "prepend_mm_cmds" || key == "append_mm_cmds") {
      shells(std::string(key), text(key, value));
    } else if (key == "extra_mm_link_args") {
      link_options(Words(std::string(key), text(key, value)));
    } else if (key == "runtime") {
      made_.config.duration_s = number(key, value, 1, 60);
    } else if (key == "flows") {
      made_.config.own = static_cast<std::int32_t>(number(key, value, 1, kMostOwn));
    } else if (key == "interval") {
      if (number(key, value, 0, 60) > 0) leave_out("interval: all flows begin at once");
    }
  }

  PantheonExperiment finish() {
    if (!local_) fail("mode", "is missing");
    if (made_.uplink_trace.empty()) fail("uplink_trace", "is missing");
    if (!downlink_trace_.empty() && downlink_trace_ != made_.uplink_trace)
      leave_out("downlink_trace: acknowledgements meet no link");
    return std::move(made_);
  }

 private:
  [[noreturn]] static void fail(std::string_view key, const std::string& why) {
    throw Error(Errc::bad_file, std::string(key) + ": " + why);
  }
  static const std::string& text(std::string_view key, const JsonValue& value) {
    if (value.kind != JsonValue::Kind::text) fail(key, "must be a text");
    return value.text;
  }
  static double number(std::string_view key, const JsonValue& value, double low, double high) {
    const bool fits = value.kind == JsonValue::Kind::number && value.number >= low &&
                      value.number <= high && value.number == std::floor(value.number);
    if (!fits)
      fail(key, "must be a whole number from " + number_text(low) + " to " + number_text(high));
    return value.number;
  }
  void leave_out(std::string what) { made_.left_out.push_back(std::move(what)); }

  void shells(const std::string& member, const std::string& given) {
    Words words(member, given);
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      if (word == "mm-delay") {
        made_.config.rtt_ms += 2 * words.number(0, 25'000, "the delay in ms");
      } else if (word == "mm-loss") {
        const std::string_view side = words.next();
        if (side != "uplink" && side != "downlink")
          words.fail("mm-loss must be followed by uplink or downlink");
        const double share = words.number(0, 0.9, "the share of lost packets");
        if (side == "downlink") {
          leave_out(member + ": no acknowledgement is lost");
        } else {
          made_.config.loss += share - made_.config.loss * share;
          if (member == "append_mm_cmds")
            leave_out(member + ": packets are lost behind the link, not before it");
        }
      } else {
        words.fail("the shell '" + std::string(word) + "' is none of mm-delay and mm-loss");
      }
    }
  }

  void link_options(Words words) {
    constexpr std::string_view kQueue = "--uplink-queue=", kArgs = "--uplink-queue-args=";
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      if (word.starts_with(kQueue))
        queue(words, word.substr(kQueue.size()));
      else if (word.starts_with(kArgs))
        queue_arguments(words, word.substr(kArgs.size()));
      else if (word.starts_with("--downlink-queue"))
        leave_out("extra_mm_link_args: acknowledgements meet no queue");
      else if (!word.starts_with("--meter-"))
        words.fail("the option '" + std::string(word) +
                   "' is none of --uplink-queue, --uplink-queue-args, --downlink-queue, "
                   "--downlink-queue-args and --meter-*");
    }
  }

  void queue(const Words& words, std::string_view name) {
    if (name == "droptail" || name == "infinite")
      made_.config.queue = "tail_drop";
    else if (name == "codel" || name == "pie")
      made_.config.queue = name;
    else
      words.fail("the queue '" + std::string(name) +
                 "' is none of infinite, droptail, codel and pie");
  }

  void queue_arguments(const Words& words, std::string_view list) {
    while (!list.empty()) {
      const std::string_view one = list.substr(0, list.find(','));
      list.remove_prefix(std::min(one.size() + 1, list.size()));
      const std::string_view key = one.substr(0, one.find('='));
      const std::string_view value = one.substr(std::min(key.size() + 1, one.size()));
      if (key != "packets" && key != "bytes") {
        leave_out("extra_mm_link_args: " + std::string(key) + " is that of the queue's RFC");
        continue;
      }
      const double unit = key == "bytes" ? kPacketBytes : 1;
      const auto size = files::number_in(value, unit, kMostPackets * unit);
      if (!size)
        words.fail(std::string(key) + " of the queue must be from " + number_text(unit) + " to " +
                   number_text(kMostPackets * unit));
      made_.config.queue_packets = static_cast<std::int32_t>(std::floor(*size / unit));
    }
  }

  PantheonExperiment made_;
  std::string downlink_trace_;
  bool local_ = false;
};

}  // namespace

PantheonExperiment parse_pantheon(files::ByteSource& source, const std::string& file) {
  Reader reader;
  static_cast<void>(files::read_json_parts(
      source, file,
      {.parts = {},
       .on_part = [](const JsonValue&) {},
       .on_member =
           [&](std::string_view key, const JsonValue& value) {
             try {
               reader.member(key, value);
             } catch (const Error& e) {
               throw Error(Errc::bad_file,
                           file + ":" + std::to_string(value.line) + ": " + e.what());
             }
           }}));
  try {
    return reader.finish();
  } catch (const Error& e) {
    throw Error(Errc::bad_file, file + ": " + e.what());
  }
}

std::string environment_of(const PantheonExperiment& experiment, const std::string& link) {
  CongestionControlConfig config = experiment.config;
  config.link = link;
  return to_text(canonical("congestion_control", config));
}

}  // namespace park::congestion_control::links
