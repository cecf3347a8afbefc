#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "park/core/error.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::cli {

/// Runs `work` and turns a park::Error into violations, each line with the option's name in front.
/// False where there was one.
bool attempt(const std::string& option, Violations&, const std::function<void()>& work);

/// A share from 0 to 1; 0 where the option was not given. Adds what is wrong.
[[nodiscard]] double read_share(const std::string& option, const std::string& text, Violations&);

/// An environment as it was given.
struct EnvInput {
  std::string canonical;
  Spec spec;
};

/// Reads ENV; adds what is wrong and returns false. An unknown name brings the known ones.
[[nodiscard]] bool read_env(const Registry&, const std::string& text, EnvInput&, Violations&);

/// A policy as it was given.
struct PolicyInput {
  std::string canonical;
  std::unique_ptr<Policy> policy;
};

/// Reads texts of policies and makes those that fit the environment; adds what is wrong.
[[nodiscard]] std::vector<PolicyInput> read_policies(const Registry&, const std::string& option,
                                                     const std::vector<std::string>& texts,
                                                     const Spec&, Violations&);

/// Checks texts of policies where the environment is not known.
void check_policies(const Registry&, const std::string& option,
                    const std::vector<std::string>& texts, Violations&);

}  // namespace park::cli
