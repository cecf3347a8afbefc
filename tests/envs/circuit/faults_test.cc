// What goes wrong in ngspice, and that the next evaluation is right: cards with "nan", missing models,
// circuits without a solution, a process that is killed, one that does not answer in time.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "park/envs/circuit/spice_pool.h"
#include "park/envs/circuit/spice_process.h"

namespace park::test {
namespace faults_test {

using circuit::Failure;
using circuit::SpiceProcess;
using circuit::SpiceReply;
using std::chrono::duration;

const std::string kQuery =
    std::string(1, circuit::kSection) + "out\n" + circuit::kSection + circuit::kSection;

std::string circuit_of(const std::string& lines) {
  return "* test\n" + lines + "\n.end\n" + kQuery;
}

/// Half of 2 V.
const std::string kDivider = circuit_of("v1 in 0 2\nr1 in out 1k\nr2 out 0 1k");

Failure run(SpiceProcess& process, const std::string& request, double deadline_s = 60) {
  SpiceReply reply;
  process.run(request, duration<double>(deadline_s), reply);
  return reply.failure;
}

void expect_right(SpiceProcess& process) {
  SpiceReply reply;
  process.run(kDivider, duration<double>(60), reply);
  ASSERT_EQ(reply.failure, Failure::none) << reply.text;
  ASSERT_FALSE(reply.values.empty());
  EXPECT_DOUBLE_EQ(reply.values[0], 1);
}

TEST(Faults, AFailureLeavesTheNextEvaluationRight) {
  struct Case {
    const char* what;
    std::string lines;
    std::vector<Failure> found;
  };
  const std::vector<Case> cases = {
      {"missing model",
       "v1 in 0 1\nm1 out in 0 0 nothing w=1u l=1u\nr1 in out 1k",
       {Failure::refused}},
      {"loop of sources", "v1 out 0 1\nv2 out 0 2", {Failure::refused}},
      {"no such value", "v1 in 0 1\nr1 in 0 1k", {Failure::incomplete, Failure::refused}},
      {"no card", "what is this", {Failure::refused, Failure::incomplete}},
      {"nan", "v1 in 0 1\nr1 in out nan\nr2 out 0 1k", {Failure::quit, Failure::refused}}};
  SpiceProcess process;
  expect_right(process);
  for (const Case& c : cases) {
    const Failure found = run(process, circuit_of(c.lines));
    EXPECT_TRUE(std::ranges::count(c.found, found) > 0)
        << c.what << ": " << static_cast<int>(found);
    expect_right(process);
  }
}

TEST(Faults, AKilledProcessIsReplaced) {
  SpiceProcess process;
  expect_right(process);
  const pid_t first = process.pid();
  ASSERT_EQ(kill(first, SIGKILL), 0);
  EXPECT_EQ(run(process, kDivider), Failure::crashed);
  EXPECT_EQ(process.pid(), -1);
  expect_right(process);
  EXPECT_NE(process.pid(), first);
}

TEST(Faults, ADeadlineEndsTheProcess) {
  std::string slow = "* test\nv1 in 0 2 ac 1\nr1 in out 1k\nc1 out 0 1n\n.end\n";
  slow += std::string(1, circuit::kSection) + "out\n" + circuit::kSection + "dec 20000000 1 1g\n" +
          circuit::kSection + "out\n";
  SpiceProcess process;
  expect_right(process);
  const pid_t first = process.pid();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(run(process, slow, 0.2), Failure::deadline);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(kill(first, 0), -1) << "it still runs";
  EXPECT_EQ(errno, ESRCH);
  expect_right(process);
}

TEST(Processes, AreRenewedAfterSoManyRuns) {
  SpiceProcess process(3);
  expect_right(process);
  const pid_t first = process.pid();
  expect_right(process);
  expect_right(process);
  EXPECT_EQ(process.pid(), first);
  expect_right(process);
  EXPECT_NE(process.pid(), first);
}

TEST(Processes, EndWithTheirOwner) {
  pid_t pid = -1;
  {
    SpiceProcess process;
    process.start();
    pid = process.pid();
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST(Processes, EndWhenTheirOwnerIsKilled) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    SpiceProcess process;
    process.start();
    const pid_t pid = process.pid();
    if (write(ends[1], &pid, sizeof pid) != sizeof pid) _exit(1);
    kill(getpid(), SIGKILL);
  }
  pid_t pid = -1;
  ASSERT_EQ(read(ends[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  EXPECT_EQ(waitpid(owner, nullptr, 0), owner);
  close(ends[0]);
  close(ends[1]);
  // The process is nobody's child here: it is gone, or waits for whoever adopts it.
  const std::string socket = "/proc/" + std::to_string(pid) + "/fd/3";
  for (int i = 0; i < 500 && access(socket.c_str(), F_OK) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_NE(access(socket.c_str(), F_OK), 0);
}

TEST(Processes, ManyThreadsGetTheirOwnResults) {
  circuit::SpicePool pool(2);
  std::vector<std::thread> threads;
  std::vector<double> found(4, 0.0);
  for (std::size_t t = 0; t < found.size(); ++t)
    threads.emplace_back([&, t] {
      SpiceReply reply;
      const std::string volts = std::to_string(t + 1);
      for (int i = 0; i < 5; ++i)
        pool.run(circuit_of("v1 in 0 " + volts + "\nr1 in out 1k\nr2 out 0 1k"),
                 duration<double>(60), reply);
      if (reply.failure == Failure::none) found[t] = reply.values.at(0);
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < found.size(); ++t)
    EXPECT_DOUBLE_EQ(found[t], (static_cast<double>(t) + 1) / 2);
}

}  // namespace faults_test
}  // namespace park::test
