#include "cli/verify_command.h"

#include <fmt/format.h>

#include <stdexcept>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/point.h"
#include "cli/progress_line.h"
#include "report/verify_report.h"

namespace bta::cli {
namespace {

constexpr IntegerRange seed_range{0, std::int64_t{1} << 53};
constexpr IntegerRange case_range{0, 1'000'000};

/// All but the problem.
verify::Request read_request(OptionReader& reader) {
  verify::Request request;
  request.tiling = read_tiling(reader);
  request.shape_only = reader.has("--shape-only");
  if (const auto seed = reader.integer("--seed", seed_range))
    request.seed = static_cast<std::uint64_t>(*seed);
  request.random_cases = reader.integer("--random", case_range).value_or(request.random_cases);
  if (request.shape_only && reader.has("--random"))
    reader.error("--random", "goes without --shape-only, which runs nothing but the full size");
  if (reader.text("--mask") == "half")
    reader.error("--mask",
                 "half exists only to compare FLOPs and no executor can run it; verify takes full or causal");
  return request;
}

Diagnostic cannot_run(std::string_view why) {
  return {.file = "bta-plan",
          .line = 0,
          .column = 0,
          .key = {},
          .message = fmt::format("this cannot be verified: {}", why)};
}

Result<verify::Verification> run(const verify::Request& request, bool quiet) {
  ProgressLine line(!quiet);
  const auto progress = [&line](std::string_view claim, std::size_t done, std::size_t total) {
    line.show(fmt::format("verify {}/{}: {}", done + 1, total, claim));
  };
  try {
    return verify::verify(request, progress);
  } catch (const std::invalid_argument& error) {
    return Diagnostics{cannot_run(error.what())};
  }
}

}  // namespace

ExitCode deliver(const verify::Verification& verification, const verify::Request& request, Format format,
                 Output& output) {
  const bool written = output.write(write_verification(verification, request, format));
  return written && verification.passed() ? ExitCode::done : ExitCode::failed;
}

ExitCode run_verify(const Arguments& arguments) {
  OptionReader reader(arguments);
  const OutputOptions options = read_output(reader);
  verify::Request request = read_request(reader);
  std::optional<Subject> subject = read_subject(reader);
  if (!subject) return refuse(reader.found());
  Result<Model> model = model_at_level(subject->model, subject->levels, subject->workload.routing, "verify");
  if (!model) return refuse(model.error());
  Result<Output> output = Output::open(options.path);
  if (!output) return refuse(output.error());

  request.problem =
      make_problem(std::move(model).value(), std::move(subject->wafer), std::move(subject->workload));
  const Result<verify::Verification> verification = run(request, options.quiet);
  if (!verification) return refuse(verification.error());
  return deliver(verification.value(), request, options.format, output.value());
}

}  // namespace bta::cli
