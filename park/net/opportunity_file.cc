#include "park/net/opportunity_file.h"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <vector>

#include "park/core/error.h"
#include "park/files/lines.h"
#include "park/files/read.h"
#include "park/files/stamp_cache.h"

namespace park::net {

Opportunities parse_opportunities(std::string_view text, const std::string& name) {
  Opportunities all;
  Violations bad;
  files::NumberLines lines(text);
  while (bad.size() < files::kMostViolations && lines.next()) {
    const auto ms = files::number_in(lines.word(), 0, kMostOpportunityMs);
    if (!ms || *ms != std::floor(*ms) || !lines.word().empty())
      files::add_at(bad, name, lines.number(),
                    "must be one time in whole milliseconds from 0 to 4e9");
    else if (!all.ms.empty() && *ms < all.ms.back())
      files::add_at(bad, name, lines.number(), "goes back in time");
    else if (all.ms.size() == kMostOpportunities)
      files::add_at(bad, name, lines.number(), "is more than 1e8 opportunities");
    else
      all.ms.push_back(static_cast<std::uint32_t>(*ms));
  }
  bad.throw_if_any(Errc::bad_file);
  if (all.ms.empty() || all.ms.back() == 0)
    throw Error(Errc::bad_file, name + ": must have a time above 0, at which it begins again");
  return all;
}

std::shared_ptr<const Opportunities> read_opportunities(const std::filesystem::path& file,
                                                        const std::string& field) {
  static files::StampCache<std::string, Opportunities> cache;
  std::error_code error;
  const files::FileStamp stamp = files::stamp_of(file, error);
  if (error)
    throw Error(Errc::io, field + ": cannot read '" + file.string() + "': " + error.message());
  return cache.get(file.string(), {stamp}, [&] {
    return std::make_shared<const Opportunities>(
        parse_opportunities(files::text_of(file, field), file.filename().string()));
  });
}

std::string opportunities_text(const Opportunities& all) {
  std::string text;
  text.reserve(all.ms.size() * 7);
  for (const std::uint32_t ms : all.ms) {
    text += std::to_string(ms);
    text += '\n';
  }
  return text;
}

Opportunities opportunities_of_rates(const std::vector<double>& times_s,
                                     const std::vector<double>& mbps, double end_s) {
  constexpr double kBytesPerMegabit = 125'000;
  constexpr double kRoundingS = 1e-9;  // of a sum of times
  Opportunities all;
  double bytes = 0;
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    const double end = i + 1 < times_s.size() ? times_s[i + 1] : end_s;
    const double rate = mbps[i] * kBytesPerMegabit;
    double at = times_s[i];
    while (rate > 0 && at + (kOpportunityBytes - bytes) / rate <= end + kRoundingS) {
      at += (kOpportunityBytes - bytes) / rate;
      bytes = 0;
      if (all.ms.size() == kMostOpportunities)
        throw Error(Errc::bad_file, "the link has more than 1e8 opportunities");
      all.ms.push_back(static_cast<std::uint32_t>(std::ceil((at - times_s[0]) * 1e3 - 1e-6)));
    }
    bytes += std::max(0.0, end - at) * rate;
  }
  if (all.ms.empty() || all.ms.back() == 0)
    throw Error(Errc::bad_file, "the link never carries 1500 bytes");
  return all;
}

}  // namespace park::net
