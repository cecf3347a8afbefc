// Servers of policies whose answers are none.
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/siege/evil/evil.h"

namespace park::siege {
namespace {

Evil answers(const std::string& name, const std::string& about,
             void (*change)(wire::Rows::Builder)) {
  return {.name = name,
          .about = about,
          .policies = true,
          .spoil = on(&Envelope::Builder::isAnswer, [=](Turn& turn) {
            change(turn.reply.getAnswer().getActions());
            return After::send;
          })};
}

Evil opens(const std::string& name, const std::string& about, Evil::Expect expect,
           std::function<After(Turn&)> spoil) {
  return {.name = name,
          .about = about,
          .expect = expect,
          .policies = true,
          .spoil = on(&Envelope::Builder::isPolicyOpened, std::move(spoil))};
}

}  // namespace

void add_policy_evil(Evils& all) {
  all.push_back({.name = "honest-policy",
                 .about = "nothing: a client has to be content",
                 .expect = Evil::Expect::accepted,
                 .policies = true});
  all.push_back(answers("answer-illegal", "actions outside their space", [](auto rows) {
    for (auto column : rows.getColumns()) fill_column(column, std::uint8_t{0x7f});
  }));
  all.push_back(answers("answer-none", "no row", [](auto rows) {
    rows.setCount(0);
    rows.initColumns(0);
  }));
  all.push_back(answers("answer-short", "a column without bytes",
                        [](auto rows) { rows.getColumns().init(0, 0); }));
  all.push_back(answers("answer-2-32", "2^32 - 1 rows", [](auto rows) {
    rows.setCount(std::numeric_limits<std::uint32_t>::max());
  }));
  all.push_back(
      answers("answer-columns", "100 000 columns", [](auto rows) { rows.initColumns(100'000); }));
  all.push_back(opens("policy-mute", "no reply to openPolicy", Evil::Expect::refused,
                      [](Turn&) { return After::nothing; }));
  all.push_back(opens("policy-escape", "control characters in the policy's text",
                      Evil::Expect::shown, [](Turn& turn) {
                        turn.reply.getPolicyOpened().setPolicy("x\x1b]52;c;ZXZpbA==\x07");
                        return After::send;
                      }));
  all.push_back(
      {.name = "ask-mute",
       .about = "no reply to questions",
       .policies = true,
       .spoil = [](Turn& turn) { return turn.request.isAsk() ? After::nothing : After::send; }});
  all.push_back({.name = "ask-failure-escape",
                 .about = "a failure with control characters",
                 .policies = true,
                 .spoil = [](Turn& turn) {
                   if (!turn.request.isAsk()) return After::send;
                   turn.reply.initFailure().setText("x\x1b]52;c;ZXZpbA==\x07y");
                   return After::send;
                 }});
}

}  // namespace park::siege
