#pragma once

#include <string_view>

/// Files of task folders; @ENV@ stands for the environment's text.
namespace park::cli::task_text {
std::string_view openevolve();
std::string_view skydiscover();
std::string_view skydiscover_sh();
std::string_view shinka();
std::string_view gepa();
std::string_view harbor_sh();
std::string_view harbor_toml();
std::string_view dockerfile();
}  // namespace park::cli::task_text
