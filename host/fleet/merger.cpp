#include "fleet/merger.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "tomograph/documents/input_error.hpp"

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;

/// What came of reading a file.
struct ReadFile {
  std::string name;
  std::optional<GpuFacts> gpu;
  std::string reason;  ///< without `gpu`
};

ReadFile read(const fs::path& file, Texts& texts) {
  ReadFile result{file.filename().string(), std::nullopt, {}};
  try {
    result.gpu = read_gpu_facts(file, texts);
  } catch (const InputError& error) {
    Problem problem = error.problems().front();
    problem.file.clear();
    result.reason = to_string(problem);
  }
  return result;
}

std::vector<ReadFile> read_all(const std::vector<fs::path>& files, Texts& texts) {
  std::vector<ReadFile> results(files.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < files.size(); i = next++) results[i] = read(files[i], texts);
  };
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) others.emplace_back(work);
  work();
  others.clear();
  return results;
}

/// Keeps one topology of each GPU and tells why the others do not count.
void keep_one_each(std::vector<ReadFile>& files) {
  std::ranges::sort(files, [](const ReadFile& a, const ReadFile& b) {
    const auto place = [](const ReadFile& file) {
      return file.gpu ? std::tie(file.gpu->gpu, file.gpu->started, file.name)
                      : std::tie(file.name, file.reason, file.reason);
    };
    if (a.gpu.has_value() != b.gpu.has_value()) return a.gpu.has_value();
    return place(a) > place(b);
  });
  const ReadFile* kept = nullptr;
  for (ReadFile& file : files) {
    if (!file.gpu) return;
    if (kept != nullptr && kept->gpu->gpu == file.gpu->gpu) {
      file.reason = "it describes the same GPU (" + file.gpu->gpu + ") as " + kept->name + ", which is as new or newer";
      file.gpu.reset();
    } else {
      kept = &file;
    }
  }
}

}  // namespace

MergedFleet merge_fleet(const std::vector<fs::path>& files, double false_alarm_rate) {
  Texts texts;
  std::vector<ReadFile> results = read_all(files, texts);
  keep_one_each(results);
  MergedFleet merged;
  std::vector<GpuFacts> gpus;
  for (ReadFile& file : results) {
    if (file.gpu) {
      gpus.push_back(std::move(*file.gpu));
    } else {
      merged.refused.push_back({std::move(file.name), std::move(file.reason)});
    }
  }
  std::ranges::sort(merged.refused, [](const RefusedFile& a, const RefusedFile& b) {
    return std::tie(a.name, a.reason) < std::tie(b.name, b.reason);
  });
  merged.fleet = judge(gpus, texts, false_alarm_rate);
  return merged;
}

}  // namespace tomograph::host
