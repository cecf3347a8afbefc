#pragma once

#include <functional>
#include <string>
#include <vector>

#include "park/core/error.h"
#include "park/core/registry.h"

namespace park::cli {

/// Runs `work` and turns a park::Error into violations, each line with the option's name in front.
/// False where there was one.
bool attempt(const std::string& option, Violations&, const std::function<void()>& work);

/// An environment as it was given.
struct EnvInput {
  std::string canonical;
  Spec spec;
};

/// Reads ENV; adds what is wrong and returns false. An unknown name brings the known ones.
[[nodiscard]] bool read_env(const Registry&, const std::string& text, EnvInput&, Violations&);

/// Reads texts of policies and makes sure that each fits the environment; adds what is wrong.
/// Returns the canonical texts of those that do.
[[nodiscard]] std::vector<std::string> read_policies(const Registry&, const std::string& option,
                                                     const std::vector<std::string>& texts,
                                                     const Spec&, Violations&);

/// Reads texts of policies that need not fit any environment.
void check_policies(const Registry&, const std::string& option,
                    const std::vector<std::string>& texts, Violations&);

}  // namespace park::cli
