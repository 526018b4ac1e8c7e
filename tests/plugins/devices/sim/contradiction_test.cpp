#include "catch.hpp"
#include "sound_description.hpp"

namespace tomograph::sim {
namespace {

void broken(const std::string& text, const std::string& error) {
  INFO(text);
  CHECK(error_of(text) == "my.toml:" + error);
}

/// `sound` with tables at its end, which begin in line 43.
std::string and_more(const std::string& tables) { return sound + tables; }

TEST_CASE("a level that answers sooner than those before it is refused, one that takes as long is not") {
  broken(with("latency", "latency = 201"), "8:1: cache.l1.latency: is 201, must be at most l2.latency, which is 200");
  CHECK(error_of(with("latency", "latency = 200")) == "no error");
  broken(with("far_latency", "far_latency = 199"),
         "19:1: l2.far_latency: is 199, must be at least l2.latency, which is 200");
  broken(with("latency = 400", "latency = 199"),
         "27:1: dram.latency: is 199, must be at least l2.latency, which is 200");
  broken(with("latency = 400", "latency = 279"),
         "27:1: dram.latency: is 279, must be at least l2.far_latency, which is 280");
  broken(with("latency = 400", "latency = 400\nfar_latency = 399"),
         "28:1: dram.far_latency: is 399, must be at least dram.latency, which is 400");
  const std::string chain =
      "[cache.first]\npaths = [\"texture\"]\nlatency = 90\nline_size = 64\nsets = 4\nways = 4\nnext = \"second\"\n"
      "[cache.second]\nlatency = 80\nline_size = 64\nsets = 4\nways = 4\n";
  broken(and_more(chain), "45:1: cache.first.latency: is 90, must be at most cache.second.latency, which is 80");
}

TEST_CASE("keys about partitions that are not there, or about copies that nothing makes, are refused") {
  std::string one = with("partitions", "partitions = 1");
  one.erase(one.find("home_masks"), std::string("home_masks = [0x1000]\n").size());
  broken(one, "19:1: l2.far_latency: is given, but there is one partition");
  one.erase(one.find("far_latency"), std::string("far_latency = 280\n").size());
  CHECK(error_of(one) == "no error");
  const auto and_in = [&](const std::string& line, const std::string& more) {
    std::string text = one;
    return text.replace(text.find(line), line.size(), line + "\n" + more);
  };
  broken(and_in("partitions = 1", "replicate = true"), "24:1: l2.replicate: is true, but there is one partition");
  broken(and_in("latency = 400", "far_latency = 500"),
         "26:1: dram.far_latency: is given, but the L2 has one partition");
  broken(and_in("partitions = 1", "slices = 3\nslice_function = { factor = 3, copy_cycles = 4 }"),
         "25:32: l2.slice_function.copy_cycles: is given, but l2.replicate is false");
}

TEST_CASE("groups of more SMs than there are, and more slices than lines or twins than slices, are refused") {
  broken(with("penalty", "penalty = 10\nshared_by = 5"),
         "32:1: tlb[0].shared_by: is 5, must be at most sm_count, which is 4");
  CHECK(error_of(with("penalty", "penalty = 10\nshared_by = 3")) == "no error");
  broken(with("partitions", "partitions = 2\nslices = 49"),
         "25:1: l2.slices: is 49, must be at most the number of lines of a partition, which is 48");
  const auto function = [](const std::string& keys) {
    return with("partitions", "partitions = 2\nslices = 3\nslice_function = { factor = 3, " + keys + " }");
  };
  CHECK(error_of(function("twins = 3, equal_sms = 4")) == "no error");
  broken(function("twins = 4"), "26:32: l2.slice_function.twins: is 4, must be at most l2.slices, which is 3");
  broken(function("equal_sms = 5"), "26:32: l2.slice_function.equal_sms: is 5, must be at most sm_count, which is 4");
  broken(function("equal_sms = 4, parallel_sms = 8"),
         "26:47: l2.slice_function.parallel_sms: is 8, must be at most sm_count, which is 4");
}

TEST_CASE("memories that hold less than their parts, or that never answer, are refused") {
  broken(with("latency = 400", "latency = 400\nsize = 2097151"),
         "28:1: dram.size: is 2097151, must be at least page_size, which is 2097152");
  const auto channel = [](const std::string& keys) {
    return with("latency = 400",
                "latency = 400\nchannel = { banks = 4, conflict_cycles = 9, refresh_period = 100, " + keys + " }");
  };
  CHECK(error_of(channel("refresh_cycles = 99, open_row_cycles = 200")) == "no error");
  broken(channel("refresh_cycles = 100"),
         "28:67: dram.channel.refresh_cycles: is 100, must be less than refresh_period, which is 100");
  broken(
      channel("refresh_cycles = 9, open_row_cycles = 201"),
      "28:87: dram.channel.open_row_cycles: is 201, must be at most what dram.latency exceeds l2.latency by, which is "
      "200");
  broken(and_more("[constant_memory]\nsize = 65536\narray = 65537\n"),
         "45:1: constant_memory.array: is 65537, must be at most constant_memory.size, which is 65536");
  broken(and_more("[instrument]\nkernel_shared = 65537\n"),
         "44:1: instrument.kernel_shared: is 65537, must be at most shared_memory.size_per_block, which is 65536");
}

TEST_CASE("tables that state the limits of an SM differently are refused") {
  const std::string sms = with("latency = 25", "latency = 25\nmax_warps = 32");
  broken(sms + "[instructions]\nmax_warps = 48\n",
         "45:1: instructions.max_warps: is 48, but shared_memory.max_warps is 32");
  CHECK(error_of(sms + "[instructions]\nmax_warps = 32\n") == "no error");
  CHECK(error_of(sms + "[instructions]\nschedulers = 2\n") == "no error");
}

TEST_CASE("pipelines that take less than they issue, or warps that an SM does not hold, are refused") {
  const auto pipeline = [](const std::string& keys) {
    return and_more("[instructions]\nmax_warps = 32\n[instructions.fp32_add]\n" + keys + "\n");
  };
  broken(pipeline("completion = [4, 2, 0.5]"), "46:1: instructions.fp32_add.completion: must not be less than issue");
  CHECK(error_of(pipeline("completion = [4, 2, 1]\nridge_warps = [32, 8, 4]")) == "no error");
  broken(pipeline("completion = 4\nridge_warps = [33, 8, 4]"),
         "47:1: instructions.fp32_add.ridge_warps: is 33, must be at most instructions.max_warps, which is 32");
}

TEST_CASE("a path that the GPU lacks, but that something describes, is refused") {
  const auto lacking = [](const std::string& path) {
    return with("sm_clock_mhz", "sm_clock_mhz = 1000\nlacks = [\"" + path + "\"]");
  };
  broken(lacking("shared"), "4:1: lacks: names shared, but there is shared_memory");
  broken(lacking("texture_2d") + "[texture_memory]\ntexel_order = \"xy\"\n",
         "4:1: lacks: names texture_2d, but there is texture_memory");
  const std::string rates =
      "[bandwidth]\nl1 = 8\nsm = 8\nconstant = 4\n"
      "l2 = { read = 9, write = 9, copy = 9 }\ndram = { read = 9, write = 9, copy = 9 }\n";
  broken(lacking("constant") + rates, "4:1: lacks: names constant, but there is bandwidth.constant");
  CHECK(error_of(and_more(rates)) == "no error");
}

TEST_CASE("a pair of GPUs with two links is refused") {
  const std::string link = "link = { latency_ns = 9, copy_latency_ns = 9, read = 50, write = 50, copy = 50 }\n";
  const auto pairs = [&](const std::string& second) {
    return and_more("[node]\ngpus = 4\n" + link +
                    "[[node.pair]]\nbetween = [0, 1]\n[[node.pair]]\nbetween = " + second);
  };
  CHECK(error_of(pairs("[1, 2]")) == "no error");
  broken(pairs("[1, 0]"), "49:1: node.pair[1].between: names GPUs 0 and 1 a second time");
}

TEST_CASE("delays that a run has with a probability, but that take no time, are refused") {
  broken(with("outlier_cycles", ""),
         "32:2: noise.outlier_cycles: must be given and more than 0, since outlier_probability is");
}

}  // namespace
}  // namespace tomograph::sim
