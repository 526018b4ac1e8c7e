#include "process/channel.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "catch.hpp"

using namespace tomograph::host;
using namespace std::chrono_literals;
using Status = Channel::Status;

namespace {

struct Pair {
  Pair() : Pair(connected_sockets()) {}
  explicit Pair(std::pair<Descriptor, Descriptor> ends)
      : raw(ends.second.get()), host(std::move(ends.first)), worker(std::move(ends.second)) {}
  int raw;  // the worker's descriptor, for writing past the channel
  Channel host;
  Channel worker;
};

}  // namespace

TEST_CASE("messages arrive whole and in order, the large ones too") {
  Pair pair;
  const std::string large(3'000'000, 'x');
  std::jthread sender([&] {
    CHECK(pair.worker.send({{"text", large}}));
    CHECK(pair.worker.send({{"text", "second"}}));
  });
  CHECK(pair.host.receive().message.at("text") == large);
  CHECK(pair.host.receive().message.at("text") == "second");
}

TEST_CASE("bytes come as they are, between messages") {
  Pair pair;
  const std::string bytes("\0TMGF\xff", 6);
  CHECK(pair.worker.send_bytes(bytes));
  CHECK(pair.worker.send_bytes({}));
  CHECK(pair.worker.send({{"text", "a message"}}));
  const Channel::Received received = pair.host.receive();
  CHECK(received.status == Status::bytes);
  CHECK(received.bytes == bytes);
  CHECK(pair.host.receive().status == Status::bytes);
  CHECK(pair.host.receive().message.at("text") == "a message");
}

TEST_CASE("silence, an end and an interruption are told apart") {
  Pair pair;
  CHECK(pair.host.receive(Channel::Clock::now() + 200ms).status == Status::timed_out);
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const Descriptor reader(ends[0]);
  const Descriptor writer(ends[1]);
  REQUIRE(::write(writer.get(), "!", 1) == 1);
  CHECK(pair.host.receive(std::nullopt, reader.get()).status == Status::interrupted);
  pair.worker.close();
  CHECK(pair.host.receive().status == Status::closed);
  CHECK_FALSE(pair.host.send({{"text", "anybody there?"}}));
}

TEST_CASE("a frame that is none, too long or not decodable is garbage") {
  for (const std::string& bytes : {std::string("01234567"), std::string("TMGF\xff\xff\xff\xff"),
                                   std::string("TMGF\x02\x00\x00\x00\xff\xff", 10)}) {
    Pair pair;
    REQUIRE(::write(pair.raw, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    const Channel::Received received = pair.host.receive();
    CHECK(received.status == Status::garbage);
    CHECK_FALSE(received.reason.empty());
  }
}

TEST_CASE("a frame that is cut off by the end is no message") {
  Pair pair;
  REQUIRE(::write(pair.raw, "TMGF\x10\x00\x00\x00\xa1", 9) == 9);
  pair.worker.close();
  CHECK(pair.host.receive().status == Status::closed);
}
