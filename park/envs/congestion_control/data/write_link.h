#pragma once

#include <string>

#include "park/command/data_action.h"
#include "park/command/out_option.h"
#include "park/envs/congestion_control/links/summary.h"
#include "park/net/link.h"

namespace park::congestion_control::links {

/// The members of a summary in the open object, and a table for people.
void write_summary(JsonWriter&, const LinkSummary&);
[[nodiscard]] std::string summary_text(const LinkSummary&);

/// An action whose result is one file of opportunities.
class WriteLink : public command::DataAction {
 public:
  void check(Violations& wrong) override { out_.check_file(wrong); }
  void make(command::ReadProgress&) final;
  void write() final;
  void write_json(JsonWriter&) const final;
  [[nodiscard]] std::string text(std::size_t width) const final;

 protected:
  void declare_out(command::Options& options) { out_.declare(options); }
  virtual net::Opportunities build() = 0;
  /// What else is told: members of the open object, and lines for people.
  virtual void write_more(JsonWriter&) const {}
  [[nodiscard]] virtual std::string more() const { return {}; }
  [[nodiscard]] const std::string& out() const { return out_.path(); }

 private:
  command::OutOption out_;
  net::Opportunities made_;
};

}  // namespace park::congestion_control::links
