// Does every writer print what the files under tests/golden/data say?
#include <doctest/doctest.h>

#include "golden/golden_file.h"
#include "golden/sample_records.h"
#include "input/load.h"
#include "report/explain_report.h"
#include "report/hardware_report.h"
#include "report/inventory_report.h"
#include "report/model_report.h"
#include "report/plan_report.h"
#include "report/ranking_report.h"
#include "report/verify_report.h"

namespace {

using namespace bta;
using namespace bta::golden;

Ranking sample_ranking() {
  Ranking ranking{{sample_explanation({3, 5}), sample_explanation({2, 6}), sample_explanation({1, 9})}, 2};
  for (std::size_t i = 1; i < ranking.points.size(); ++i) {
    Explanation& point = ranking.points[i];
    const double slower = 1 + 0.125 * static_cast<double>(i);
    point.step.phases[0].timed.seconds *= slower;
    point.step.seconds = point.step.phases[0].timed.seconds + 0.5625;
    point.tokens_per_s = 1e4 / slower;
  }
  return ranking;
}

TEST_SUITE_BEGIN("golden");

TEST_CASE("plan prints as its goldens say") {
  check_all_formats("plan", [](Format format) { return write_plan(sample_plan(), format); });
}

TEST_CASE("a plan of nothing feasible keeps its rows and has no numbers") {
  check_all_formats("plan_infeasible", [](Format format) { return write_plan(infeasible_plan(), format); });
}

TEST_CASE("explain prints as its goldens say") {
  check_all_formats("explain", [](Format format) {
    return write_explanation(sample_explanation({3, 5}), format);
  });
}

TEST_CASE("the ranking of points prints as its goldens say") {
  check_all_formats("ranking", [](Format format) { return write_ranking(sample_ranking(), format); });
}

TEST_CASE("the Pareto front prints as its goldens say") {
  const std::vector<Candidate> front = {{{1, 2}, 0.5, 100, Bytes(10)},
                                        {{3, 4}, 0.25, 200.5, Bytes(2'000'000'000)}};
  const Problem problem = make_problem(sample_model(), sample_wafer(), {});
  check_all_formats("pareto", [&](Format format) { return write_pareto_front(problem, front, format); });
}

TEST_CASE("show prints a model as its goldens say") {
  const ModelDescription description{sample_model(), 2, StateBytes{}};
  check_all_formats("show_model", [&](Format format) { return write_model(description, format); });
}

TEST_CASE("show prints latent attention, windows, biases and parts beside the model as its goldens say") {
  for (const std::string name : {"deepseek-v3", "gpt-oss-120b"}) {
    const Result<Model> model = load_model(name, {});
    REQUIRE(model.has_value());
    const ModelDescription description{model.value(), 2, {}};
    check_all_formats("show_" + name, [&](Format format) { return write_model(description, format); });
  }
}

TEST_CASE("show prints hardware as its goldens say") {
  check_all_formats("show_hardware", [](Format format) { return write_wafer(sample_wafer(), format); });
}

TEST_CASE("list prints as its goldens say") {
  const Inventory inventory{{{"tiny", sample_model()}}, {{"toy", sample_wafer()}}};
  check_all_formats("list", [&](Format format) { return write_inventory(inventory, format); });
}

TEST_CASE("verify prints as its goldens say") {
  check_all_formats("verify", [](Format format) {
    return write_verification(sample_verification(), sample_request(), format);
  });
}

TEST_CASE("a verification of shapes in which everything holds prints as its goldens say") {
  verify::Verification verification = sample_verification();
  std::erase_if(verification.checks, [](const verify::Check& check) { return !check.passed(); });
  verify::Request request = sample_request();
  request.shape_only = true;
  request.tiling = {};
  check_all_formats("verify_shapes",
                    [&](Format format) { return write_verification(verification, request, format); });
}

TEST_SUITE_END();

}  // namespace
