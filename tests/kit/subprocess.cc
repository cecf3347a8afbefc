#include "tests/kit/subprocess.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <stdexcept>

namespace park::cli {
namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

void close_pipe(int& pipe) {
  if (pipe >= 0) close(pipe);
  pipe = -1;
}

/// Appends what the pipe has; closes it at its end.
void drain(int& pipe, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t n = read(pipe, buffer.data(), buffer.size());
  if (n > 0)
    into.append(buffer.data(), static_cast<std::size_t>(n));
  else
    close_pipe(pipe);
}

[[noreturn]] void become_park(const std::vector<std::string>& arguments, int out, int err) {
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  std::vector<char*> argv{const_cast<char*>("park")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(PARK_BINARY, argv.data());
  _exit(127);
}

}  // namespace

Subprocess::Subprocess(const std::vector<std::string>& arguments) {
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  pid_ = fork();
  if (pid_ == 0) become_park(arguments, out[1], err[1]);
  close(out[1]);
  close(err[1]);
  out_pipe_ = out[0];
  err_pipe_ = err[0];
}

Subprocess::~Subprocess() {
  close_pipe(out_pipe_);
  close_pipe(err_pipe_);
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Subprocess::signal(int number) const {
  if (pid_ > 0) kill(pid_, number);  // -1, of one that has ended, would be everybody
}

bool Subprocess::read_some(int milliseconds) {
  std::array<pollfd, 2> pipes{{{out_pipe_, POLLIN, 0}, {err_pipe_, POLLIN, 0}}};
  if (poll(pipes.data(), pipes.size(), milliseconds) > 0) {
    if (out_pipe_ >= 0 && pipes[0].revents != 0) drain(out_pipe_, result_.out);
    if (err_pipe_ >= 0 && pipes[1].revents != 0) drain(err_pipe_, result_.err);
  }
  return out_pipe_ >= 0 || err_pipe_ >= 0;
}

bool Subprocess::wait_for_error_text(const std::string& text, double seconds) {
  const auto deadline = after(seconds);
  while (result_.err.find(text) == std::string::npos)
    if (!read_some(50) || Clock::now() > deadline) return false;
  return true;
}

Finished Subprocess::finish(double seconds) {
  const auto deadline = after(seconds);
  while (read_some(50))
    if (Clock::now() > deadline) kill(pid_, SIGKILL);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  result_.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return result_;
}

Finished run_park(const std::vector<std::string>& arguments) {
  return Subprocess(arguments).finish();
}

std::string scratch_path(const std::string& name) {
  static const test::ScratchFolder all("cli");
  const auto* running = testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path folder = all.file(running->name());
  std::filesystem::create_directories(folder);
  std::filesystem::remove_all(folder / name);
  return (folder / name).string();
}

}  // namespace park::cli
