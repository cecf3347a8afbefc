#include "cli/frame/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace park::cli {
namespace progress_test {

/// Ten thousand rounds in 100 seconds of a clock of its own.
std::string shown(bool terminal, LogLevel level) {
  std::ostringstream err;
  Console console(err, terminal);
  console.set_level(level);
  double now_s = 0;
  {
    Progress progress(console, "episodes", 1000, "decisions", [&] { return now_s; });
    progress.set_label("fifo");
    for (int i = 0; i < 10000; ++i) {
      now_s += 0.01;
      progress.advance(i % 10 == 9 ? 1 : 0, 20);
    }
  }
  return err.str();
}

TEST(Progress, PlainLinesAreRare) {
  const std::string text = shown(false, LogLevel::info);
  EXPECT_EQ(std::ranges::count(text, '\n'), 10);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_TRUE(text.starts_with("50/1000 episodes, 2.00 k decisions/s, 1 min 35 s left  fifo\n"))
      << text;
}

TEST(Progress, TerminalGetsABarThatGoesAway) {
  const std::string text = shown(true, LogLevel::info);
  EXPECT_NE(text.find("[############............] 500/1000 episodes"), std::string::npos);
  EXPECT_LE(std::ranges::count(text, '\r'), 1002);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_TRUE(text.ends_with("\r\x1b[K"));
}

/// The line of a job without a terminal after so long, where `before` units were done before.
std::string plain_line(const std::string& unit, std::uint64_t total, const std::string& step,
                       double elapsed_s, std::uint64_t units, std::uint64_t steps,
                       std::uint64_t before = 0) {
  std::ostringstream err;
  Console console(err, false);
  double now_s = 0;
  Progress progress(console, unit, total, step, [&] { return now_s; });
  progress.skip(before);
  now_s = elapsed_s;
  progress.advance(units, steps);
  return err.str();
}

/// A job that goes on: what was done before says nothing about the rate.
TEST(Progress, WhatWasDoneBeforeIsNotCountedInTheRate) {
  EXPECT_EQ(plain_line("iterations", 100, "decisions", 10, 10, 1000, 50),
            "60/100 iterations, 100 decisions/s, 40.0 s left\n");
}

TEST(Progress, TellsThatNothingWasAskedYet) {
  EXPECT_EQ(plain_line("episodes", 2, "decisions", 6, 0, 0),
            "0/2 episodes, 0 decisions/s, nothing was asked yet\n");
}

TEST(Progress, WithoutATotalThereIsNoTimeLeft) {
  EXPECT_EQ(plain_line("MB", 0, "bytes", 10, 2, 2'000'000), "2 MB, 200 k bytes/s\n");
}

TEST(Progress, QuietShowsNothing) {
  EXPECT_EQ(shown(true, LogLevel::warn), "");
  EXPECT_EQ(shown(false, LogLevel::warn), "");
}

TEST(Console, LogLinesKeepTheStatusLineLast) {
  std::ostringstream err;
  Console console(err, true);
  console.status("[bar]");
  console.warn("careful");
  EXPECT_EQ(err.str(), "\r\x1b[K[bar]\r\x1b[Kwarning: careful\n[bar]");
}

TEST(Console, LevelsFilter) {
  std::ostringstream err;
  Console console(err, false);
  console.status("never shown");
  console.set_level(LogLevel::warn);
  console.info("no");
  console.debug("no");
  console.error("yes");
  EXPECT_EQ(err.str(), "error: yes\n");
}

}  // namespace progress_test
}  // namespace park::cli
