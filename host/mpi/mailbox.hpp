#ifndef TOMOGRAPH_HOST_MPI_MAILBOX_HPP
#define TOMOGRAPH_HOST_MPI_MAILBOX_HPP

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

/// What ranks tell each other, over MPI.
namespace tomograph::host {

/// Initializes MPI and finalizes it. One at a time, in the main thread.
class Mpi {
 public:
  Mpi(int& argc, char**& argv);
  ~Mpi();
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  /// Place among the ranks of this node, and how many these are.
  [[nodiscard]] int rank_in_node() const { return rank_in_node_; }
  [[nodiscard]] int ranks_of_node() const { return ranks_of_node_; }
  [[nodiscard]] static std::string node();

  /// Gives every rank what rank 0 has. All ranks call it.
  [[nodiscard]] nlohmann::json shared(const nlohmann::json& message) const;
  /// Sends to rank 0. Returns once the message is on its way.
  void send_to_first(const nlohmann::json& message) const;
  /// Rank 0: a message that has arrived, if there is one.
  [[nodiscard]] std::optional<nlohmann::json> received() const;
  /// Ends all ranks with this exit code. For one that cannot go on while others wait for it.
  [[noreturn]] void abort(int code) const;

 private:
  int rank_ = 0;
  int size_ = 1;
  int rank_in_node_ = 0;
  int ranks_of_node_ = 1;
};

}  // namespace tomograph::host

#endif
