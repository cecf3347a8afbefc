#pragma once

#include <string>
#include <vector>

#include "park/envs/congestion_control/config.h"
#include "park/files/byte_source.h"

namespace park::congestion_control::links {

/// A local experiment of Pantheon (F. Yan et al., USENIX ATC 2018): flows inside the shells mm-link,
/// mm-delay and mm-loss of the emulator Mahimahi.
struct PantheonExperiment {
  std::string uplink_trace;           ///< name of the file with the link's opportunities
  CongestionControlConfig config;     ///< all but the link
  std::vector<std::string> left_out;  ///< what the simulator has not, a line each
};

/// Reads pantheon_metadata.json as Pantheon's test.py writes it beside an experiment's logs. `file`
/// is for messages. Throws Error{bad_file} that names the member and what is allowed, for an
/// experiment that is not local too.
[[nodiscard]] PantheonExperiment parse_pantheon(files::ByteSource&, const std::string& file);

/// What plays the experiment on the link in that file.
[[nodiscard]] std::string environment_of(const PantheonExperiment&, const std::string& link);

}  // namespace park::congestion_control::links
