// Programs that run beside this one. A Process has its output in files of a folder of its own, so
// that no pipe can fill up. Attacks and goals read /proc for memory, processor time and
// descriptors.
#include "tests/siege/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "park/process/sanitizers.h"

namespace park::siege {
namespace {

/// A number of /proc/PID/status, such as VmHWM, in bytes.
std::uint64_t status_bytes(pid_t pid, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1)) * 1024;
  return 0;
}

[[noreturn]] void become(const std::vector<std::string>& words, const std::string& folder,
                         const std::string& out, const std::string& err,
                         const std::function<void()>& prepare) {
  const int to_out = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int to_err = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(to_out, STDOUT_FILENO);
  dup2(to_err, STDERR_FILENO);
  if (!folder.empty() && chdir(folder.c_str()) != 0) _exit(126);
  if (prepare) prepare();
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(127);
}

}  // namespace

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "park-siege-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw Trouble(name + ": no folder can be made: " + std::strerror(errno));
  path_ = name;
}
Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::optional<std::string> file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

void write_text(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file.write(text.data(), static_cast<std::streamsize>(text.size())).flush())
    throw Trouble(path + ": cannot be written");
}

bool Finished::crashed() const noexcept {
  return code < 0 || code > 125 || err.find("Sanitizer") != std::string::npos ||
         err.find("runtime error: ") != std::string::npos;
}

Process::Process(const std::vector<std::string>& words, const std::string& folder,
                 const std::function<void()>& prepare) {
  const std::string out = output_.file("out"), err = output_.file("err");
  pid_ = fork();
  if (pid_ < 0) throw Trouble(words[0] + ": no process: " + std::strerror(errno));
  if (pid_ == 0) become(words, folder, out, err, prepare);
}

Process::~Process() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  kill(pid_, SIGCONT);
  waitpid(pid_, nullptr, 0);
}

bool Process::runs() const {
  siginfo_t news{};
  return pid_ > 0 &&
         waitid(P_PID, static_cast<id_t>(pid_), &news, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         news.si_pid == 0;
}

void Process::signal(int number) const {
  if (pid_ > 0) kill(pid_, number);  // -1, of one that has ended, would be everybody
}

Finished Process::finish(Time until) {
  Finished done;
  while (runs()) {
    if (Clock::now() >= until && !done.late) {
      done.late = true;
      signal(SIGKILL);
    }
    std::this_thread::sleep_for(milliseconds(2));
  }
  int status = 0;
  rusage used{};
  wait4(pid_, &status, 0, &used);
  pid_ = -1;
  done.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  done.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  done.peak = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  done.out = out();
  done.err = err();
  return done;
}

std::string Process::out() const { return file_text(output_.file("out")).value_or(""); }
std::string Process::err() const { return file_text(output_.file("err")).value_or(""); }

std::uint64_t resident(pid_t pid) { return status_bytes(pid, "VmRSS"); }
std::uint64_t peak_resident(pid_t pid) { return status_bytes(pid, "VmHWM"); }

void forget_peak(pid_t pid) {
  std::ofstream("/proc/" + std::to_string(pid) + "/clear_refs") << "5\n";
}

double cpu_s(pid_t pid) {
  const std::string stat = file_text("/proc/" + std::to_string(pid) + "/stat").value_or("");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(stat.substr(name_end + 2));
  std::string skipped;
  for (int field = 3; field < 14; ++field) rest >> skipped;
  double user = 0, system = 0;
  rest >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::size_t descriptors(pid_t pid) {
  std::size_t n = 0;
  std::error_code gone;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd", gone))
    ++n;
  return n;
}

void bound_memory(std::uint64_t gib) {
  const rlimit most{gib << 30U, gib << 30U};
  if (!process::kReservesAddresses) setrlimit(RLIMIT_AS, &most);
}

std::string& park_program() {
  static std::string path =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "park").string();
  return path;
}

}  // namespace park::siege
