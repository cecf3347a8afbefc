#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "park/envs/region_assignment/config.h"

namespace park::region_assignment {

/// A place on the Earth, in degrees: north and east are positive.
struct Place {
  std::string_view name;
  double latitude, longitude;
};

/// A region, with its price where the configuration has none. Places are facts; prices are made up
/// and those of no provider.
struct Region {
  Place place;
  double price;
};

inline constexpr std::size_t kSites = 40;

/// Regions are near eight public cities.
extern const std::array<Region, kMaxRegions> kRegions;
/// Cities in which accounts have users.
extern const std::array<Place, kSites> kCities;

/// Distance on the surface of a sphere of the mean radius of the Earth, 6371 km.
[[nodiscard]] double great_circle_km(const Place&, const Place&);
/// 2 ms, and 1.3 times the great circle both ways at 200 km per ms, the speed of light in fibre.
[[nodiscard]] double round_trip_s(const Place&, const Place&);

/// Round trips between every city and every region: [site][region].
using RoundTrips = std::array<std::array<double, kMaxRegions>, kSites>;
[[nodiscard]] const RoundTrips& round_trips_s();

/// The cosine of the angle between the solar time of a longitude and 14:00, `time_s` after 00:00
/// UTC: 1 at 14:00, -1 at 2:00. And its sine, positive before 14:00.
struct Sun {
  double high = 0, rising = 0;
};
[[nodiscard]] Sun sun_at(double longitude, double time_s);

}  // namespace park::region_assignment
