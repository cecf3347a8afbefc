#include "bridge/transport/libraries.h"

#include <capnp/common.h>
#include <zmq.h>

namespace park::bridge {
namespace {

std::string joined(int major, int minor, int patch) {
  return std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
}

}  // namespace

std::string zeromq_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  zmq_version(&major, &minor, &patch);
  return joined(major, minor, patch);
}

std::string capnproto_version() {
  return joined(CAPNP_VERSION_MAJOR, CAPNP_VERSION_MINOR, CAPNP_VERSION_MICRO);
}

}  // namespace park::bridge
