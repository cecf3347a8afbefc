#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "park/net/link.h"

namespace park::net {

inline constexpr std::size_t kMostOpportunities = 100'000'000;
inline constexpr double kMostOpportunityMs = 4e9;

/// The format of the link emulator Mahimahi (R. Netravali et al., USENIX ATC 2015): each line is a
/// time in whole milliseconds, never decreasing, at which 1500 bytes can leave. The list begins again
/// at the last time. `name` stands for the text in messages. Throws Error{bad_file} with a line per
/// violation, 10 at most.
[[nodiscard]] Opportunities parse_opportunities(std::string_view text, const std::string& name);
/// A file; `field` is the field that names it, for messages. Files that are in use are read once.
/// Throws Error{io} too.
[[nodiscard]] std::shared_ptr<const Opportunities> read_opportunities(
    const std::filesystem::path& file, const std::string& field);
/// The text of such a file.
[[nodiscard]] std::string opportunities_text(const Opportunities&);

/// Opportunities of a link whose rate holds for a while and then changes. Rate i (Mbit/s) holds
/// from time i (s) to time i + 1, the last one to end_s. They are as even as whole milliseconds
/// permit. Throws Error{bad_file} where none fits. REQUIRES increasing times below end_s.
[[nodiscard]] Opportunities opportunities_of_rates(const std::vector<double>& times_s,
                                                   const std::vector<double>& mbps, double end_s);

}  // namespace park::net
