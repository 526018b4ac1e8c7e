#include "mpi/mailbox.hpp"

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

namespace tomograph::host {
namespace {

using Json = nlohmann::json;

constexpr int tag = 1;

/// Waits for a request. MPI's own waits keep a processor busy, which measurements of other ranks need.
void wait_idly(MPI_Request request) {
  constexpr std::chrono::milliseconds pause(5);  // 1/4 of the pause for messages: see fleet_run.cpp
  int is_done = 0;
  for (;;) {
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (is_done != 0) return;
    std::this_thread::sleep_for(pause);
  }
}

void broadcast(void* data, int count, MPI_Datatype type) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(data, count, type, 0, MPI_COMM_WORLD, &request);
  wait_idly(request);
}

}  // namespace

Mpi::Mpi(int& argc, char**& argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &rank_in_node_);
  MPI_Comm_size(node, &ranks_of_node_);
  MPI_Comm_free(&node);
}

Mpi::~Mpi() {
  MPI_Request all_are_here = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &all_are_here);
  wait_idly(all_are_here);
  MPI_Finalize();
}

std::string Mpi::node() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<std::size_t>(length)};
}

Json Mpi::shared(const Json& message) const {
  std::vector<std::uint8_t> bytes;
  if (rank_ == 0) bytes = Json::to_cbor(message);
  int size = static_cast<int>(bytes.size());
  broadcast(&size, 1, MPI_INT);
  bytes.resize(static_cast<std::size_t>(size));
  broadcast(bytes.data(), size, MPI_BYTE);
  return Json::from_cbor(bytes);
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): only where MPI is initialized
void Mpi::send_to_first(const Json& message) const {
  const std::vector<std::uint8_t> bytes = Json::to_cbor(message);
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, tag, MPI_COMM_WORLD);
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): only where MPI is initialized
std::optional<Json> Mpi::received() const {
  int is_there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &is_there, &status);
  if (is_there == 0) return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
  MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return Json::from_cbor(bytes);
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): only where MPI is initialized
void Mpi::abort(int code) const {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

}  // namespace tomograph::host
