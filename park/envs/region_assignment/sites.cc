#include "park/envs/region_assignment/sites.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace park::region_assignment {
namespace {

constexpr double kEarthKm = 6371, kFibreKmPerS = 200'000, kDetour = 1.3, kFixedS = 0.002;
constexpr double kPeakShare = 14.0 / 24;  // of the day

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

}  // namespace

const std::array<Region, kMaxRegions> kRegions{{{{"Ashburn", 39.04, -77.49}, 1.0},
                                                {{"Portland", 45.52, -122.68}, 1.0},
                                                {{"Sao Paulo", -23.55, -46.63}, 1.6},
                                                {{"Dublin", 53.35, -6.26}, 1.1},
                                                {{"Frankfurt", 50.11, 8.68}, 1.15},
                                                {{"Mumbai", 19.08, 72.88}, 1.05},
                                                {{"Singapore", 1.35, 103.82}, 1.2},
                                                {{"Tokyo", 35.68, 139.69}, 1.3}}};

const std::array<Place, kSites> kCities{
    {{"New York", 40.71, -74.01},     {"Los Angeles", 34.05, -118.24},
     {"Chicago", 41.88, -87.63},      {"Houston", 29.76, -95.37},
     {"Atlanta", 33.75, -84.39},      {"Seattle", 47.61, -122.33},
     {"Toronto", 43.65, -79.38},      {"Mexico City", 19.43, -99.13},
     {"Bogota", 4.71, -74.07},        {"Lima", -12.05, -77.04},
     {"Santiago", -33.45, -70.67},    {"Buenos Aires", -34.60, -58.38},
     {"Sao Paulo", -23.55, -46.63},   {"Rio de Janeiro", -22.91, -43.17},
     {"London", 51.51, -0.13},        {"Paris", 48.86, 2.35},
     {"Berlin", 52.52, 13.41},        {"Madrid", 40.42, -3.70},
     {"Rome", 41.90, 12.50},          {"Stockholm", 59.33, 18.07},
     {"Warsaw", 52.23, 21.01},        {"Moscow", 55.76, 37.62},
     {"Istanbul", 41.01, 28.98},      {"Cairo", 30.04, 31.24},
     {"Lagos", 6.52, 3.38},           {"Nairobi", -1.29, 36.82},
     {"Johannesburg", -26.20, 28.05}, {"Dubai", 25.20, 55.27},
     {"Karachi", 24.86, 67.00},       {"Delhi", 28.61, 77.21},
     {"Mumbai", 19.08, 72.88},        {"Bangalore", 12.97, 77.59},
     {"Bangkok", 13.76, 100.50},      {"Jakarta", -6.21, 106.85},
     {"Manila", 14.60, 120.98},       {"Hong Kong", 22.32, 114.17},
     {"Shanghai", 31.23, 121.47},     {"Seoul", 37.57, 126.98},
     {"Tokyo", 35.68, 139.69},        {"Sydney", -33.87, 151.21}}};

double great_circle_km(const Place& a, const Place& b) {
  const double lat_a = radians(a.latitude), lat_b = radians(b.latitude);
  const double north = std::sin((lat_b - lat_a) / 2);
  const double east = std::sin(radians(b.longitude - a.longitude) / 2);
  const double h = north * north + std::cos(lat_a) * std::cos(lat_b) * east * east;
  return 2 * kEarthKm * std::asin(std::sqrt(std::min(1.0, h)));
}

double round_trip_s(const Place& a, const Place& b) {
  return kFixedS + kDetour * 2 * great_circle_km(a, b) / kFibreKmPerS;
}

const RoundTrips& round_trips_s() {
  static const RoundTrips all = [] {
    RoundTrips trips{};
    for (std::size_t s = 0; s < kSites; ++s)
      for (std::size_t k = 0; k < kMaxRegions; ++k)
        trips[s][k] = round_trip_s(kCities[s], kRegions[k].place);
    return trips;
  }();
  return all;
}

Sun sun_at(double longitude, double time_s) {
  const double angle = 2 * std::numbers::pi * (time_s / kDayS - kPeakShare) + radians(longitude);
  return {.high = std::cos(angle), .rising = -std::sin(angle)};
}

}  // namespace park::region_assignment
