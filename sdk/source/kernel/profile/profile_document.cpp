#include "tomograph/kernel/profile_document.hpp"

#include "embedded_schemas.hpp"
#include "tomograph/documents/schema.hpp"
#include "tomograph/documents/toml_document.hpp"

namespace tomograph::kernel {

namespace {

void add_intervals(const nlohmann::json& table, std::vector<Interval>& intervals) {
  Interval interval{.instructions = table.at("instructions").get<double>(),
                    .stall = table.value("stall", 0.0),
                    .read_misses = table.value("read_misses", 0.0),
                    .write_misses = table.value("write_misses", 0.0)};
  interval.waits_for_miss = table.value("waits_for_miss", interval.read_misses > 0 ? 1.0 : 0.0);
  intervals.insert(intervals.end(), table.value("times", std::size_t{1}), interval);
}

WarpTraffic traffic_of(const nlohmann::json& table, const WarpTraffic& otherwise) {
  const auto value = [&](const char* key, double fallback) { return table.value(key, fallback); };
  const double instructions = value("instructions", otherwise.instructions);
  // From the warp of the intervals to the mean one.
  const auto scaled = [&](double of_intervals) { return of_intervals / otherwise.instructions * instructions; };
  return {
      .instructions = instructions,
      .cycles = value("cycles", scaled(otherwise.cycles)),
      .waits = value("waits", scaled(otherwise.waits)),
      .waiting = value("waiting", scaled(otherwise.waiting)),
      .l1_accesses = value("l1_accesses", otherwise.l1_accesses),
      .read_misses = value("read_misses", otherwise.read_misses),
      .read_requests = value("read_requests", otherwise.read_requests),
      .write_misses = value("write_misses", otherwise.write_misses),
      .write_requests = value("write_requests", otherwise.write_requests),
      .memory_reads = value("memory_reads", otherwise.memory_reads),
      .memory_requests = value("memory_requests", otherwise.memory_requests),
      .memory_writes = value("memory_writes", otherwise.memory_writes),
      .memory_write_requests = value("memory_write_requests", value("memory_writes", otherwise.memory_write_requests)),
      .l1_passes = value("l1_passes", value("l1_accesses", otherwise.l1_passes))};
}

Profile read(const nlohmann::json& root) {
  Profile profile;
  profile.name = root.at("name").get<std::string>();
  profile.ctas = root.at("ctas").get<std::int64_t>();
  profile.warps_per_cta = root.at("warps_per_cta").get<std::int64_t>();
  profile.ctas_per_sm = root.at("ctas_per_sm").get<std::int64_t>();
  profile.miss_bytes = root.value("miss_bytes", profile.miss_bytes);
  profile.llc_miss_ratio = root.at("llc_miss_ratio").get<double>();
  for (const nlohmann::json& table : root.at("interval")) add_intervals(table, profile.intervals);
  profile.imbalance = root.value("imbalance", profile.imbalance);
  profile.traffic = traffic_of_intervals(profile);
  if (root.contains("traffic")) profile.traffic = traffic_of(root.at("traffic"), profile.traffic);
  return profile;
}

}  // namespace

bool is_profile(std::string_view text) {
  try {
    return parse_toml(text, {}).value.contains("interval");
  } catch (const InputError&) {
    return false;
  }
}

Profile parse_profile(std::string_view text, const std::filesystem::path& file) {
  const TomlDocument document = parse_toml(text, file);
  const auto problems = schema_violations(document, embedded_schemas().at("profile"));
  if (!problems.empty()) throw InputError(problems);
  Profile profile = read(document.value);
  if (const auto broken = violation(profile)) throw InputError(document.at("", *broken));
  return profile;
}

}  // namespace tomograph::kernel
