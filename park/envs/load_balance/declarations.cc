#include "park/envs/load_balance/declarations.h"

#include <algorithm>

namespace park::load_balance {
namespace {

double factor_of(const Misreport& declared) {
  return declared.factors.empty() ? 1 : declared.factors.front();
}

}  // namespace

std::vector<std::string> SizeDeclarations::references() const {
  return {"shortest_queue", "shortest_expected_delay"};
}

/// The final observation describes no job.
void SizeDeclarations::present(const Moment& now, std::vector<std::uint64_t>& jobs) const {
  if (now.row.scalar(layout_.size) > 0) jobs.push_back(now.sequence);
}

std::size_t SizeDeclarations::quantities(const Moment& now, std::uint64_t job) const {
  return job == now.sequence && now.row.scalar(layout_.size) > 0 ? 1 : 0;
}

std::optional<std::string> SizeDeclarations::complaint(const Moment&, const Misreport& declared,
                                                       double epsilon) const {
  if (declared.change) return "change: a job has no structure";
  return complaint_of_factors(declared.factors, 1, epsilon);
}

void SizeDeclarations::show(const Moment& now, const std::vector<Misreport>& misreports,
                            Row seen) const {
  seen.assign(now.row);
  for (const Misreport& declared : misreports) {
    if (quantities(now, declared.job) == 0) continue;
    float& size = seen.scalar(layout_.size);
    size =
        static_cast<float>(std::min(static_cast<double>(size) * factor_of(declared), kMaxJobSize));
  }
  for (const Placed& p : placed_) {
    const auto work = static_cast<double>(seen[layout_.work][p.server]) + excess(p);
    const auto rate = static_cast<double>(seen[layout_.rate][p.server]);
    seen[layout_.work][p.server] = static_cast<float>(std::max(work, 0.0));
    seen[layout_.drain_s][p.server] = static_cast<float>(std::max(work, 0.0) / rate);
  }
}

double SizeDeclarations::excess(const Placed& p) const {
  if (now_s_ <= p.start_s) return p.declared - p.size;
  const double part = (now_s_ - p.start_s) / (p.done_s - p.start_s);  // served, of the true size
  return std::max(p.declared - part * p.size, 0.0) - (1 - part) * p.size;
}

double SizeDeclarations::benefit(const Moment& now, std::uint64_t, ConstRow action) const {
  const auto server = static_cast<std::size_t>(action.scalar(layout_.server));
  return -static_cast<double>(now.row[layout_.drain_s][server] +
                              now.row.scalar(layout_.size) / now.row[layout_.rate][server]);
}

void SizeDeclarations::own(const Moment& now, std::uint64_t, std::vector<float>& out) const {
  out.push_back(now.row.scalar(layout_.size));
  out.push_back(now.row.scalar(layout_.gap_s));
}

void SizeDeclarations::begin() {
  now_s_ = 0;
  placed_.clear();
}

void SizeDeclarations::follow(const Moment& now, const std::vector<Misreport>& misreports,
                              ConstRow action, double elapsed_s) {
  for (const Misreport& declared : misreports) {
    if (quantities(now, declared.job) == 0) continue;
    Placed p{.server = static_cast<std::size_t>(action.scalar(layout_.server)),
             .size = static_cast<double>(now.row.scalar(layout_.size))};
    p.declared = p.size * factor_of(declared);
    p.start_s = now_s_ + static_cast<double>(now.row[layout_.drain_s][p.server]);
    p.done_s = p.start_s + p.size / static_cast<double>(now.row[layout_.rate][p.server]);
    placed_.push_back(p);
  }
  now_s_ += elapsed_s;
  std::erase_if(placed_, [this](const Placed& p) { return p.done_s <= now_s_; });
}

}  // namespace park::load_balance
