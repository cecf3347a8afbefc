// Servers inside a Python process. A ServerHandle runs a Server on a thread of its own until stop;
// environments, policies and factories of Python become services for it. Callbacks take the GIL on
// the server's threads, so every wait here gives it up. The Python package calls serve_*.
#include "extension/serving.h"

#include <pybind11/stl.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "bridge/server/policy_service.h"
#include "bridge/server/server.h"
#include "bridge/server/stream_service.h"
#include "extension/interruptible.h"
#include "extension/plugins.h"
#include "extension/python_env.h"
#include "extension/python_policy.h"
#include "extension/registry.h"
#include "extension/spec_dict.h"

namespace park::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

/// A server on a thread of its own, from its construction until stop.
class ServerHandle {
 public:
  ServerHandle(bridge::ServerOptions options, std::shared_ptr<const Registry> known,
               bridge::Server::MakeService make)
      : process_(getpid()), known_(std::move(known)) {
    server_ = std::make_unique<bridge::Server>(std::move(options), std::move(make));
    endpoint_ = server_->endpoint();
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  ~ServerHandle() {
    if (getpid() != process_) {  // the thread is not in this child
      new std::jthread(std::move(thread_));
      static_cast<void>(server_.release());
      return;
    }
    stop();
  }
  ServerHandle(const ServerHandle&) = delete;
  ServerHandle& operator=(const ServerHandle&) = delete;

  [[nodiscard]] const std::string& endpoint() const noexcept { return endpoint_; }

  /// Until the server has ended by itself; throws what ended it, or what a signal raises.
  void wait() {
    wait_until([this](auto time) {
      std::unique_lock lock(mutex_);
      return ended_.wait_for(lock, time, [this] { return done_; });
    });
    if (failed_) std::rethrow_exception(failed_);
  }

  /// Callbacks that are being done need the GIL to end.
  void stop() {
    const py::gil_scoped_release released;
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    server_.reset();
  }

 private:
  void run(const std::stop_token& stop) {
    try {
      server_->run(stop);
    } catch (...) {
      failed_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    done_ = true;
    ended_.notify_all();
  }

  pid_t process_;
  std::shared_ptr<const Registry> known_;  // before the server, whose services use it
  std::unique_ptr<bridge::Server> server_;
  std::string endpoint_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::exception_ptr failed_;
  std::jthread thread_;
};

bridge::ServerOptions options_of(const std::string& endpoint, std::uint32_t workers) {
  bridge::ServerOptions options;
  options.endpoint = endpoint;
  options.name = "park_sdk";
  options.workers = workers;
  return options;
}

bridge::Server::MakeService streams(const Registry& known, const std::string& env,
                                    bool may_wait = false) {
  return [&known, env, may_wait] {
    return std::make_unique<bridge::StreamService>(
        known, bridge::StreamServiceOptions{.env = env, .may_wait = may_wait});
  };
}

bridge::Server::MakeService policies(const Registry& known, const std::string& policy) {
  return [&known, policy] {
    return std::make_unique<bridge::PolicyService>(known,
                                                   bridge::PolicyServiceOptions{.policy = policy});
  };
}

/// Park's own; the registry lives as long as the process.
std::shared_ptr<const Registry> own_registry() {
  return {&registry(), [](const Registry*) {}};
}

std::unique_ptr<ServerHandle> serve_environments(const std::string& endpoint,
                                                 const std::string& env, std::uint32_t workers) {
  const std::string text = env.empty() ? env : registry().canonical_env(env);
  return std::make_unique<ServerHandle>(options_of(endpoint, workers), own_registry(),
                                        streams(registry(), text, is_extended()));
}

/// A class of Python, for the process that has started this one. Sessions do not end by themselves:
/// both processes end together.
std::unique_ptr<ServerHandle> serve_plugin(const std::string& endpoint, const std::string& kind,
                                           const std::string& name) {
  bridge::ServerOptions options = options_of(endpoint, 2);
  options.limits.lease = std::chrono::hours(24);
  return std::make_unique<ServerHandle>(std::move(options), own_registry(),
                                        plugin_service(kind, name));
}

/// `make(spec)` makes a policy for each client that opens one.
std::unique_ptr<ServerHandle> serve_policy(const std::string& endpoint, const std::string& name,
                                           py::object make, std::uint32_t workers) {
  auto known = std::make_shared<Registry>();
  auto maker = std::make_shared<PythonObject>(std::move(make));
  known->add_policy({.name = name, .summary = "a policy in Python"}, [maker](const Spec& spec) {
    return maker->with([&](const py::object& call) {
      return std::make_unique<PythonPolicy>(spec, call(to_dict(spec)));
    });
  });
  const auto service = policies(*known, name);
  return std::make_unique<ServerHandle>(options_of(endpoint, workers), std::move(known), service);
}

/// `make()` makes an environment for each slot that a client opens.
std::unique_ptr<ServerHandle> serve_env(const std::string& endpoint, const py::dict& spec_dict,
                                        py::object make, std::uint32_t workers) {
  auto known = std::make_shared<Registry>();
  auto maker = std::make_shared<PythonObject>(std::move(make));
  const Spec spec = spec_of(spec_dict);
  known->add_env(spec, [maker, spec]() -> std::unique_ptr<Env> {
    return maker->with(
        [&](const py::object& call) { return std::make_unique<PythonEnv>(spec, call()); });
  });
  const auto service = streams(*known, spec.name, true);  // for Python's lock
  return std::make_unique<ServerHandle>(options_of(endpoint, workers), std::move(known), service);
}

}  // namespace

void bind_serving(py::module_& m) {
  py::class_<ServerHandle>(m, "Server")
      .def_property_readonly("endpoint", &ServerHandle::endpoint)
      .def("wait", &ServerHandle::wait)
      .def("stop", &ServerHandle::stop);
  m.def("serve_environments", &serve_environments, "endpoint"_a, "env"_a, "workers"_a);
  m.def("serve_policy", &serve_policy, "endpoint"_a, "name"_a, "make"_a, "workers"_a);
  m.def("serve_plugin", &serve_plugin, "endpoint"_a, "kind"_a, "name"_a);
  m.def("serve_env", &serve_env, "endpoint"_a, "spec"_a, "make"_a, "workers"_a);
}

}  // namespace park::python
