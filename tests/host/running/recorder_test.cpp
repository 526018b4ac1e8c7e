#include "running/recorder.hpp"

#include "catch.hpp"
#include "host/process/example_exchanges.hpp"
#include "temporary_folder.hpp"

using namespace tomograph::host;

namespace {

tomograph::RecordingHeader header() { return {"1", "toy:good", "Toy", {}}; }

void ignore(const std::string& /*reason*/) {}

}  // namespace

TEST_CASE("a recorder writes all that it was handed until it is finished") {
  const TemporaryFolder folder;
  Recorder recorder(ignore);
  recorder.begin(folder / "run.rec", header());
  for (std::int64_t trial = 0; trial < 500; ++trial) recorder.add(Exchanges(bytes_of({answered(trial)})));
  recorder.finish();
  CHECK(recorder.is_complete());
  const auto recording = tomograph::Recording::read(folder / "run.rec");
  CHECK(recording.size() == 500);
  CHECK(recording.find(answered(499).first) == answered(499).second);
}

TEST_CASE("without an end nothing is left of a recording, and a disk that refuses ends the recording alone") {
  const TemporaryFolder folder;
  {
    Recorder recorder(ignore);
    recorder.begin(folder / "run.rec", header());
    recorder.add(Exchanges(bytes_of({answered(1)})));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  Recorder recorder(ignore);
  recorder.begin(folder / "no folder/run.rec", header());
  CHECK_FALSE(recorder.is_complete());
  recorder.add(Exchanges(bytes_of({answered(1)})));
  recorder.finish();
  CHECK_FALSE(recorder.is_complete());
}
