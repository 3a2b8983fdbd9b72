// Is the list of a wafer's numbers the list that the reader of descriptions knows?
#include "hardware/parameters.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "input/load.h"

using namespace bta;

namespace {

Wafer cs2() {
  const auto loaded = load_wafer("cerebras-cs2", {});
  REQUIRE(loaded.has_value());
  return loaded.value();
}

bool in_file(const Wafer& wafer, std::string_view key) {
  return std::ranges::count(wafer.numbers, key, &SourcedNumber::key) > 0;
}

bool is_whole(const WaferParameter& p) {
  return p.scale == ParameterScale::whole || p.key == "core.sram";
}

/// As a file would say it; bytes per cycle and bytes of a partial sum stand there without a unit.
std::string text_of(const WaferParameter& p, double value) {
  const std::string_view unit = p.unit == "B" && p.key != "core.sram" ? "" : p.unit;
  return is_whole(p) ? fmt::format("{:.0f}{}", value, unit) : fmt::format("{}{}", value, unit);
}

/// The value that a description with this value gives, on a single core so that any SRAM may be asked for.
std::optional<double> read_back(const WaferParameter& p, double value) {
  std::vector<Override> overrides{{"grid.rows", "1"}, {"grid.columns", "1"}};
  std::erase_if(overrides, [&](const Override& o) { return o.key == p.key; });
  if (p.key.starts_with("grid.")) overrides.push_back({"core.sram", "1B"});
  overrides.push_back({std::string(p.key), text_of(p, value)});
  const auto loaded = load_wafer("cerebras-cs2", overrides);
  return loaded ? std::optional(p.value(loaded.value())) : std::nullopt;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("the list has every number of a file that a cost depends on, in the order of the file") {
    std::vector<std::string> of_file, of_list;
    const Wafer wafer = cs2();
    for (const SourcedNumber& number : wafer.numbers)
      if (!number.key.starts_with("peak.") && number.key != "system.wafers") of_file.push_back(number.key);
    for (const WaferParameter& p : wafer_parameters())
      if (p.key != "core.multiply_adds_per_cycle.fp32") of_list.emplace_back(p.key);  // a CS-2 has none
    CHECK(of_list == of_file);
    CHECK_FALSE(in_file(wafer, "core.multiply_adds_per_cycle.fp32"));
  }

  TEST_CASE("a value is what the file says, in base units") {
    const std::map<std::string_view, double> said = {{"grid.rows", 994},
                                                     {"grid.columns", 750},
                                                     {"core.sram", 49152},
                                                     {"core.reserved_fraction", 0.02},
                                                     {"core.clock", 1.1e9},
                                                     {"core.multiply_adds_per_cycle.fp16", 4},
                                                     {"core.multiply_adds_per_cycle.bf16", 4},
                                                     {"core.multiply_adds_per_cycle.fp32", 0},
                                                     {"core.sram_read_bytes_per_cycle", 16},
                                                     {"core.sram_write_bytes_per_cycle", 8},
                                                     {"core.link_bytes_per_cycle", 4},
                                                     {"off_wafer.stream_in", 150e9},
                                                     {"off_wafer.stream_out", 150e9},
                                                     {"efficiency.gemm", 0.5003},
                                                     {"efficiency.attention", 0.5003},
                                                     {"efficiency.partial_sum_bytes", 2},
                                                     {"efficiency.wafer_overlap", 1},
                                                     {"efficiency.stream_overlap", 0.25},
                                                     {"efficiency.layer_overhead", 1.842e-3},
                                                     {"efficiency.tile_overhead", 0},
                                                     {"efficiency.expert_overhead", 0},
                                                     {"attention_kernel.score_heads", 0},
                                                     {"attention_kernel.score_tensors_forward", 2},
                                                     {"attention_kernel.score_tensors_backward", 3},
                                                     {"attention_kernel.block_rows", 128}};
    const Wafer wafer = cs2();
    CHECK(said.size() == wafer_parameters().size());
    for (const WaferParameter& p : wafer_parameters()) {
      CAPTURE(p.key);
      CHECK(p.value(wafer) == said.at(p.key));
    }
  }

  TEST_CASE("setting a number changes that one and no other") {
    const Wafer wafer = cs2();
    for (const WaferParameter& changed : wafer_parameters()) {
      CAPTURE(changed.key);
      const bool there = changed.key != "core.multiply_adds_per_cycle.fp32";
      const Wafer other = with(wafer, changed, changed.least);
      for (const WaferParameter& p : wafer_parameters())
        CHECK(p.value(other) == (&p == &changed && there ? changed.least : p.value(wafer)));
    }
  }

  TEST_CASE("setting a number to its own value changes nothing, nor makes a width that is not there") {
    const Wafer wafer = cs2();
    for (const WaferParameter& p : wafer_parameters()) {
      const Wafer same = with(wafer, p, p.value(wafer));
      CHECK(p.value(same) == p.value(wafer));
      CHECK_FALSE(same.vector_width.fp32.has_value());
      CHECK_FALSE(same.score_heads.has_value());
    }
  }

  TEST_CASE("whole numbers are rounded to nearest and never below 1") {
    const WaferParameter& rows = *find_parameter("rows");
    CHECK(with(cs2(), rows, 12.5).rows == 13);
    CHECK(with(cs2(), rows, 12.4).rows == 12);
    CHECK(with(cs2(), rows, 0.2).rows == 1);
  }

  TEST_CASE("the least and the most are what a file may say, and beyond them it is refused") {
    for (const WaferParameter& p : wafer_parameters()) {
      CAPTURE(p.key);
      CHECK(read_back(p, p.least) == p.least);
      CHECK(read_back(p, p.most) == p.most);
      const double little = is_whole(p) ? 1 : 1e-5;
      CHECK_FALSE(read_back(p, p.least - little).has_value());
      CHECK_FALSE(read_back(p, is_whole(p) ? p.most + 1 : p.most * 1.01).has_value());
    }
  }

  TEST_CASE("a number is found by its key or the last part of it") {
    CHECK(find_parameter("efficiency.gemm")->key == "efficiency.gemm");
    CHECK(find_parameter("gemm")->key == "efficiency.gemm");
    CHECK(find_parameter("fp16")->key == "core.multiply_adds_per_cycle.fp16");
    CHECK(find_parameter("efficiency") == nullptr);
    CHECK(find_parameter("") == nullptr);
  }
}
