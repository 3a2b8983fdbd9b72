// Does explain answer for the point that was asked about?
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/program.h"

namespace {

using bta::cli_test::run;
using nlohmann::json;
using Words = std::vector<std::string>;

json explained(Words words) {
  words.insert(words.begin(), "explain");
  words.insert(words.end(), {"--format", "json", "-q"});
  const auto result = run(words);
  CHECK(result.code == 0);
  return json::parse(result.out);
}

TEST_SUITE_BEGIN("explain");

TEST_CASE("the keys that others rely on are there") {
  const json e = explained({"-B", "12", "-G", "8"});
  CHECK(e.at("model").at("total_params") == 30'532'122'624);
  CHECK(e.at("model").at("active_params") == 3'353'032'704);
  CHECK(e.at("model").at("active_params_without_input_embedding") == 3'041'867'776);
  for (const char* const key : {"step_s", "tokens_per_s", "bound", "feasible"}) CHECK(!e.at(key).is_null());
  CHECK(e.at("flops").at("model_forward_per_token").is_number_integer());
  CHECK(e.at("flops").at("hardware_per_step").is_number_integer());
  std::int64_t bytes = 0;
  for (const json& tensor : e.at("memory").at("tensors")) {
    bytes += tensor.at("bytes").get<std::int64_t>();
    CHECK(tensor.at("phase") == e.at("memory").at("peak_phase"));
  }
  CHECK(bytes == e.at("memory").at("peak_bytes"));
  CHECK(e.at("memory").at("limit_bytes") > e.at("memory").at("peak_bytes"));
}

TEST_CASE("an operator's bound is the largest of its seconds by resource") {
  const json operators = explained({"-B", "12", "-G", "8"}).at("operators");
  REQUIRE(!operators.empty());
  for (const json& op : operators) {
    CHECK(op.at("flops").is_number_integer());
    if (op.at("bound").is_null()) continue;
    const double bound = op.at("seconds").at(op.at("bound").get<std::string>());
    for (const json& seconds : op.at("seconds")) CHECK(seconds.get<double>() <= bound);
  }
}

TEST_CASE("without a point the optimum of plan is explained") {
  const json plan =
      json::parse(run({"--experts", "128", "--top-k", "1", "--iso-active", "--format", "json"}).out);
  const json e = explained({"--top-k", "1", "--iso-active"});
  CHECK(e.at("tile_batch") == plan.at("rows").at(0).at("tile_batch"));
  CHECK(e.at("tiles") == plan.at("rows").at(0).at("tiles"));
  CHECK(e.at("tokens_per_s") == plan.at("rows").at(0).at("tokens_per_s"));
}

TEST_CASE("options may be written together with their values") {
  const json e = explained({"-B3", "-G5", "--experts=128", "--top-k=2"});
  CHECK(e.at("micro_batch") == 15);
  CHECK(e.at("model").at("top_k") == 2);
}

TEST_CASE("a micro-batch must be B*G, or gives the one that is missing") {
  CHECK(run({"explain", "--micro-batch", "100", "-B", "12", "-G", "8"}).err ==
        "command line: error: --micro-batch: 100 is not B*G = 12*8 = 96\n");
  CHECK(run({"explain", "--micro-batch", "100", "-B", "12"}).err ==
        "command line: error: --micro-batch: 100 is not a multiple of -B 12\n");
  CHECK(run({"explain", "--micro-batch", "100"}).code == 2);
  CHECK(explained({"--micro-batch", "96", "-B", "12"}).at("tiles") == 8);
  CHECK(explained({"--micro-batch", "96", "-G", "8"}).at("tile_batch") == 12);
  CHECK(explained({"-B", "12"}).at("tiles") == 1);
}

TEST_CASE("an infeasible point is answered, with its reason") {
  const json e = explained({"-B", "100", "-G", "1"});
  CHECK(e.at("feasible") == false);
  CHECK(e.at("reason").get<std::string>().find("live score tensors") != std::string::npos);
  CHECK(e.at("memory").at("peak_bytes") > e.at("memory").at("limit_bytes"));
}

TEST_CASE("when not even one sequence fits there is no optimum: 3") {
  const auto result = run({"explain", "--seq-len", "200000", "--format", "json"});
  CHECK(result.code == 3);
  CHECK(result.err.starts_with("bta-plan: note: nothing is feasible: "));
  CHECK(json::parse(result.out).at("feasible") == false);
}

TEST_CASE("--top ranks the best and says why the next loses") {
  const json e = explained({"--top", "3"});
  const json& ranking = e.at("ranking");
  REQUIRE(ranking.size() == 4);
  CHECK(e.at("points").size() == 3);
  CHECK(ranking.at(0).at("tokens_per_s") == e.at("tokens_per_s"));
  for (std::size_t i = 1; i < ranking.size(); ++i) {
    CHECK(ranking.at(i).at("tokens_per_s") <= ranking.at(i - 1).at("tokens_per_s"));
    CHECK(!ranking.at(i).at("why").is_null());
    CHECK(ranking.at(i).at("next") == (i == 3));
  }
}

TEST_CASE("--pareto gives points none of which beats another") {
  const json front = explained({"--pareto", "--max-micro-batch", "60"}).at("pareto_front");
  REQUIRE(front.size() > 1);
  for (std::size_t i = 1; i < front.size(); ++i) {
    CHECK(front.at(i).at("memory_bytes") > front.at(i - 1).at("memory_bytes"));
    CHECK(front.at(i).at("tokens_per_s") > front.at(i - 1).at("tokens_per_s"));
  }
}

TEST_CASE("--sensitivity tells what each number of the hardware does, at the optimum or at a point") {
  const json best = explained({"--sensitivity"}), point = explained({"--sensitivity", "-B", "12", "-G", "8"});
  CHECK(best.at("tokens_per_s") == best.at("best").at("tokens_per_s"));
  CHECK(best.at("tile_batch") == explained({}).at("tile_batch"));
  CHECK(point.at("tokens_per_s") == explained({"-B", "12", "-G", "8"}).at("tokens_per_s"));
  CHECK(point.at("best") == best.at("best"));
  for (const json& row : point.at("sensitivity")) CHECK(row.at("kind").is_string());
  CHECK(best.at("sensitivity").size() == 23);  // of 25: vector widths of other precisions have no part
  CHECK(best.at("measure_next").is_string());
  CHECK(best.at("improve_next").is_string());
}

TEST_CASE("the sensitivity's CSV has a row for each number, and no sign in front of a text") {
  const std::string csv = run({"explain", "--sensitivity", "--format", "csv", "-q"}).out;
  CHECK(csv.starts_with("parameter,written,kind,value,unit,scale,elasticity,step,step_value,step_change,"));
  CHECK(std::ranges::count(csv, '\n') == 24);
  CHECK(csv.find('\'') == std::string::npos);
}

TEST_CASE("a sensitivity is answered for a point that does not fit, and when nothing does: 3") {
  const json e = explained({"--sensitivity", "-B", "100", "-G", "1"});
  CHECK(e.at("feasible") == false);
  CHECK(e.at("reason").get<std::string>().find("live score tensors") != std::string::npos);
  CHECK(e.at("best").at("tile_batch") == explained({}).at("tile_batch"));
  const auto nothing = run({"explain", "--sensitivity", "--seq-len", "200000", "--format", "json"});
  CHECK(nothing.code == 3);
  CHECK(nothing.err.starts_with("bta-plan: note: nothing is feasible: "));
  CHECK(json::parse(nothing.out).at("best").is_null());
}

TEST_CASE("--sensitivity is that of one point") {
  CHECK(run({"explain", "--sensitivity", "--top", "3"}).err ==
        "command line: error: --sensitivity: is that of one point, so it goes without --top\n");
  CHECK(run({"explain", "--sensitivity", "--pareto"}).err ==
        "command line: error: --sensitivity: is that of one point, so it goes without --pareto\n");
  CHECK(run({"explain", "--sensitivity", "--top", "3"}).code == 2);
}

TEST_CASE("what compares points goes without a point, and levels are single") {
  CHECK(run({"explain", "-B", "3", "--top", "2"}).code == 2);
  CHECK(run({"explain", "-B", "3", "--pareto"}).code == 2);
  CHECK(run({"explain", "--top", "3", "--pareto"}).code == 2);
  CHECK(run({"explain", "--experts", "8,16"}).err ==
        "command line: error: --experts: explain takes one value\n");
}

TEST_SUITE_END();

}  // namespace
