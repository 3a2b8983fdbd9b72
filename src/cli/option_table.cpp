#include "cli/option_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/defaults.h"
#include "report/format.h"
#include "report/names.h"
#include "verify/verify.h"

namespace bta::cli {
namespace {

template <class Names>
std::string choices(const Names& names) {
  return fmt::format("{}", fmt::join(names, "|"));
}

std::vector<OptionRow> input_options() {
  return {
      {"--model", "NAME|FILE", std::string(default_model), "",
       "built-in model, YAML file, or Hugging Face config.json", Group::inputs},
      {"--hardware", "NAME|FILE", std::string(default_hardware), "", "built-in hardware or YAML file",
       Group::inputs},
      {"--set", "KEY=VALUE", "none", "",
       "overrides one field: model.KEY=VALUE or hardware.KEY=VALUE; may be repeated", Group::inputs, true}};
}

std::vector<OptionRow> workload_options() {
  const Workload w;
  const std::string by_precision = "2; 4 for fp32";
  return {
      {"--seq-len", "S", fmt::format("{}", w.seq_len), "tokens", "length of a sequence", Group::workload},
      {"--wafers", "N", "as the hardware has it", "wafers", "systems that train together", Group::workload},
      {"--mask", choices(mask_names), std::string(name_of(w.mask)), "",
       "pairs of scores computed: S^2, S(S+1)/2, or S^2/2 (only to compare FLOPs)", Group::workload},
      {"--attention", choices(attention_names), std::string(name_of(w.kernel)), "",
       "kernel: keeps whole score tensors, or one block of rows", Group::workload},
      {"--checkpoint", choices(checkpoint_names), std::string(name_of(w.checkpoint)), "",
       "kept for the backward pass: layer inputs and attention outputs off-wafer, layer inputs only, or both "
       "on the wafer",
       Group::workload},
      {"--routing", "balanced|zipf:A|FILE", name_of(w.routing), "",
       "how tokens spread over the experts; FILE: counts, a CSV table of expert,tokens", Group::workload},
      {"--placement", choices(placement_names), std::string(name_of(w.placement)), "",
       "tokens stay in their rows, or move so that rows are even", Group::workload},
      {"--precision", choices(precision_names), std::string(name_of(w.precision)), "",
       "data type: decides the vector width and the bytes per element", Group::workload},
      {"--activation-bytes", "N", by_precision, "bytes", "bytes of an activation (a)", Group::workload},
      {"--weight-bytes", "N", by_precision, "bytes", "bytes of a streamed weight (w)", Group::workload},
      {"--gradient-bytes", "N", by_precision, "bytes", "bytes of a streamed gradient (g)", Group::workload},
      {"--score-bytes", "N", by_precision, "bytes", "bytes of an attention score (s)", Group::workload},
      {"--quantile", "Q", fmt::format("{}", w.capacity_quantile), "probability",
       "that no expert exceeds its buffer in a micro-batch", Group::workload},
      {"--head-chunk", "N", "near 4096, fitted to the rows", "tokens",
       "tokens the output head works on at once", Group::workload}};
}

std::vector<OptionRow> level_options() {
  return {{"--experts", "LIST", "plan: the published series; else the model's", "experts",
           "experts per layer: 8,16,32 or 8:128 or 8:128:x2", Group::levels},
          {"--top-k", "LIST", "plan: the published series; else the model's", "experts", "experts per token",
           Group::levels},
          {"--iso-active", "", "off", "",
           "expert width = the model's * (the model's top_k / top_k): active parameters stay constant",
           Group::levels}};
}

std::vector<OptionRow> constraint_options() {
  return {{"--max-tile", "N", "no limit", "sequences", "largest attention tile B", Group::constraints},
          {"--max-micro-batch", "N", "no limit", "sequences", "largest micro-batch B*G of one wafer",
           Group::constraints},
          {"--global-batch", "N", "none", "sequences",
           "sequences of all wafers in one optimizer step: allows only micro-batches the vendor's software "
           "would form",
           Group::constraints}};
}

std::vector<OptionRow> point_options() {
  return {
      {"-B,--tile-batch", "N", "the optimum, or in verify's scaled-down run small ones; 1 beside -G",
       "sequences", "sequences per attention tile", Group::point},
      {"-G,--tiles", "N", "the optimum, or in verify's scaled-down run small ones; 1 beside -B", "tiles",
       "attention tiles per micro-batch", Group::point},
      {"--micro-batch", "N", "B*G", "sequences", "sequences per micro-batch; gives B or G from the other",
       Group::point},
      {"--top", "N", "1", "points", "explains the N best points and why the next one loses", Group::point},
      {"--pareto", "", "off", "", "the points that no other beats in both tokens/s and memory", Group::point},
      {"--sensitivity", "", "off", "",
       "what each number of the hardware does to tokens/s: which one to measure or improve next",
       Group::point}};
}

std::vector<OptionRow> verification_options() {
  const verify::Request request;
  return {
      {"--seed", "N", fmt::format("{}", request.seed), "",
       "of weights, tokens, random configurations and routing: the same seed, the same run",
       Group::verification},
      {"--shape-only", "", "off", "",
       "only the shapes, at full size: counts of work, bytes and memory without data", Group::verification},
      {"--random", "N", fmt::format("{}", request.random_cases), "configurations",
       "random small models, workloads and tilings whose counts are compared; 0: none", Group::verification}};
}

std::vector<OptionRow> calibration_options() {
  return {
      {"--free", "LIST", std::string(default_free), "",
       "parameters to fit, by comma; those joined by = share one value", Group::calibration},
      {"--separate", "LIST", "none", "", "parameters of which each hardware gets its own value",
       Group::calibration},
      {"--write-hardware", "FILE", "none", "",
       "writes the calibrated YAML of --hardware, else of the first row's", Group::calibration},
      {"--confidence", "[P]", "0.9; plan without the option: none", "probability",
       "intervals that hold with this probability, from the standing of the calibration", Group::confidence}};
}

std::vector<OptionRow> description_options() {
  return {{"--state-bytes", "W,G,M,O", "not shown", "bytes",
           "training state per parameter: weight, gradient, master and moments", Group::description}};
}

std::vector<OptionRow> output_options() {
  return {{"--format", choices(format_names), std::string(format_names.front()), "",
           "table and markdown for people, csv and json for programs", Group::output},
          {"-o,--output", "FILE", "-", "", "file, written whole or not at all; - is stdout", Group::output},
          {"-q,--quiet", "", "off", "", "no notes on stderr, only errors", Group::output},
          {"-h,--help", "", "off", "", "prints this page", Group::about},
          {"-V,--version", "", "off", "", "prints the version", Group::about}};
}

}  // namespace

std::vector<OptionRow> option_table() {
  std::vector<OptionRow> table;
  for (const auto& rows :
       {input_options(), workload_options(), level_options(), constraint_options(), point_options(),
        verification_options(), calibration_options(), description_options(), output_options()})
    table.insert(table.end(), rows.begin(), rows.end());
  return table;
}

std::vector<OptionRow> options_of(const std::vector<Group>& groups) {
  const std::vector<OptionRow> table = option_table();
  std::vector<OptionRow> rows;
  for (const Group group : groups)
    std::ranges::copy_if(table, std::back_inserter(rows),
                         [group](const OptionRow& row) { return row.group == group; });
  return rows;
}

std::string_view group_title(Group group) {
  switch (group) {
    case Group::inputs:
      return "Inputs";
    case Group::workload:
      return "Workload";
    case Group::levels:
      return "Sparsity levels";
    case Group::constraints:
      return "Constraints";
    case Group::point:
      return "Point";
    case Group::verification:
      return "Verification";
    case Group::calibration:
      return "Calibration";
    case Group::confidence:
      return "Confidence";
    case Group::description:
      return "Description";
    case Group::output:
      return "Output";
    case Group::about:
      return "About";
  }
  return "";
}

std::string long_name(const OptionRow& row) {
  return row.flags.substr(row.flags.rfind("--"));
}

}  // namespace bta::cli
