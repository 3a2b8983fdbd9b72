#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/context.h"
#include "report/explain_parts.h"
#include "report/operator_columns.h"
#include "report/positions.h"
#include "report/text_table.h"

namespace bta {
namespace {

struct PhaseLine {
  const PhaseTime* phase;
  double share;  // of the step
  std::string layers;
};

template <Resource resource>
Cell busy(const PhaseLine& line) {
  const double seconds = line.phase->timed.busy[resource];
  return seconds > 0 ? cell(seconds) : Cell();
}

constexpr auto phase_columns = std::to_array<Column<PhaseLine>>({
    {"", "phase", "", Look::text, [](const PhaseLine& l) { return cell(phase_name(l.phase->kind)); }},
    {"", "layers", "", Look::text,
     [](const PhaseLine& l) { return l.layers.empty() ? Cell() : cell(l.layers); }},
    {"", "time", "", Look::seconds, [](const PhaseLine& l) { return cell(l.phase->timed.seconds); }},
    {"", "share", "", Look::percent, [](const PhaseLine& l) { return cell(l.share); }},
    {"", "compute", "", Look::seconds, busy<Resource::compute>},
    {"", "sram", "", Look::seconds, busy<Resource::sram>},
    {"", "broadcast", "", Look::seconds, busy<Resource::broadcast>},
    {"", "reduce", "", Look::seconds, busy<Resource::reduce>},
    {"", "in", "", Look::seconds, busy<Resource::stream_in>},
    {"", "out", "", Look::seconds, busy<Resource::stream_out>},
    {"", "overhead", "", Look::seconds, busy<Resource::overhead>},
    {"", "bound", "", Look::text,
     [](const PhaseLine&
            l) { return cell(resource_names[static_cast<std::size_t>(binding(l.phase->timed.busy))]); }},
});

struct TensorLine {
  const Tensor* tensor;
  double share;  // of the peak
};
constexpr auto tensor_columns = std::to_array<Column<TensorLine>>({
    {"", "tensor", "", Look::text, [](const TensorLine& l) { return cell(l.tensor->name); }},
    {"", "bytes", "", Look::count, [](const TensorLine& l) { return cell(l.tensor->bytes); }},
    {"", "share", "", Look::percent, [](const TensorLine& l) { return cell(l.share); }},
});

struct RidgeLine {
  const Ridge* ridge;
};
constexpr auto ridge_columns = std::to_array<Column<RidgeLine>>({
    {"", "ridge", "", Look::text, [](const RidgeLine& l) { return cell(l.ridge->pass); }},
    {"", "even rows", "tokens/expert", Look::decimal,
     [](const RidgeLine& l) { return cell(l.ridge->even_tokens_per_expert); }},
    {"", "rows as they fill", "tokens/expert", Look::decimal,
     [](const RidgeLine& l) { return cell(l.ridge->filled_tokens_per_expert); }},
    {"", "distance", "", Look::factor, [](const RidgeLine& l) { return cell(l.ridge->distance); }},
});

template <class Line, std::size_t size>
TextGrid grid_of(const std::array<Column<Line>, size>& columns, const std::vector<Line>& lines) {
  return text_grid<Line>(columns, lines);
}

Section point_section(const Explanation& e) {
  Section section{"Point", {}, {}};
  section.facts = {
      {"feasible", e.feasible ? "yes" : "no: " + e.reason},
      {"tokens/s", grouped(e.tokens_per_s)},
      {"step", seconds_text(e.step.seconds)},
      {"bound", fmt::format("{}; busiest resource of the step: {}", e.bound, e.step_bound)},
      {"utilization",
       fmt::format("{} of the published dense peak, {} of the peak of the grid",
                   percent_text(e.utilization.of_published_peak), percent_text(e.utilization.of_grid_peak))},
      {"memory", fmt::format("{} of {}, highest in {}", bytes_text(as_double(e.peak.bytes)),
                             bytes_text(as_double(e.memory_limit)), memory_phase_name(e.peak.phase))},
      {"streamed", fmt::format("{} in, {} out per step; at most {} of weights on the wafer at once",
                               bytes_text(as_double(e.streamed_in)), bytes_text(as_double(e.streamed_out)),
                               bytes_text(as_double(e.resident_weights)))}};
  return section;
}

Section model_section(const Explanation& e) {
  const ParameterCount& count = e.parameters;
  Section section{"Model", {}, {}};
  section.facts.emplace_back(
      "parameters",
      fmt::format("{} total, {} active, {} active without the input embedding", grouped(count.total()),
                  grouped(count.active()), grouped(count.active_without_input_embedding())));
  if (const MoeMlp* moe = moe_of(e.problem.model))
    section.facts.emplace_back(
        "experts", fmt::format("{} of width {}, top_k {}, sparsity {}", moe->experts, moe->width, moe->top_k,
                               percent_text(1 - as_double(moe->top_k) / as_double(moe->experts))));
  section.facts.emplace_back("model FLOPs",
                             fmt::format("{} per token forward, {} per step of training",
                                         grouped(as_double(e.flops.model_forward) / as_double(tokens_of(e))),
                                         grouped(e.flops.model_training.value)));
  section.facts.emplace_back("hardware FLOPs",
                             fmt::format("{} per step (recomputation included); vector work {}",
                                         grouped(e.flops.hardware.value), grouped(e.flops.vector.value)));
  return section;
}

Section time_section(const Explanation& e) {
  std::vector<PhaseLine> lines;
  for (const PhaseTime& phase : e.step.phases)
    if (phase.timed.seconds > 0)
      lines.push_back(
          {&phase, phase.timed.seconds / e.step.seconds, layers_like(e.problem.model, phase.deepest)});
  return {"Time by phase, all layers", {}, grid_of(phase_columns, lines)};
}

Section operator_section(const Explanation& e) {
  return {"Operators, all layers", {}, text_grid(operator_columns(), operator_lines(e))};
}

Section memory_section(const Explanation& e) {
  std::vector<TensorLine> lines;
  for (const Tensor& tensor : e.peak.tensors)
    lines.push_back({&tensor, as_double(tensor.bytes) / as_double(e.peak.bytes)});
  std::ranges::stable_sort(lines, std::ranges::greater{},
                           [](const TensorLine& l) { return l.tensor->bytes; });
  Section section{
      fmt::format("Memory at the peak: {}, step {}", memory_phase_name(e.peak.phase), e.peak.step), {}, {}};
  section.table = grid_of(tensor_columns, lines);
  return section;
}

Section row_section(const Explanation& e) {
  const RowFill& fill = *e.row_fill;
  std::vector<RidgeLine> lines;
  for (const Ridge& ridge : e.ridges) lines.push_back({&ridge});
  const auto decimal = [](double value) { return for_people(cell(value), Look::decimal); };
  Section section{"Rows and ridge", {}, grid_of(ridge_columns, lines)};
  section.facts = {
      {"tokens per expert", decimal(fill.tokens_per_expert)},
      {"rows", fmt::format("{} tokens in the mean row, {} slots in the fullest: compute density {}",
                           decimal(fill.mean_row_load), decimal(fill.expected_slots),
                           percent_text(fill.compute_density))},
      {"experts", fmt::format("{} with at least one token, all streamed; buffers hold {} tokens",
                              decimal(fill.experts_touched), grouped(fill.expert_capacity))},
      {"routed inputs",
       fmt::format("{} for one copy in a layer, gate and up {}", bytes_text(as_double(fill.routed_inputs)),
                   bytes_text(as_double(fill.gate_and_up)))}};
  return section;
}

std::string write_facts(const std::vector<Fact>& facts) {
  std::size_t width = 0;
  for (const auto& [label, text] : facts) width = std::max(width, label.size());
  std::string result;
  for (const auto& [label, text] : facts)
    result += write_paragraph(text, fmt::format("  {:<{}}  ", label, width), std::string(width + 4, ' '));
  return result;
}

}  // namespace

std::vector<Section> explanation_sections(const Explanation& e) {
  std::vector<Section> sections = {point_section(e), model_section(e), time_section(e)};
  if (e.row_fill) sections.push_back(row_section(e));
  sections.push_back(memory_section(e));
  sections.push_back(operator_section(e));
  return sections;
}

std::string explanation_heading(const Explanation& e) {
  return heading_lines(e.problem.model, e.problem.wafer, e.problem.workload) +
         fmt::format("B = {} sequences per attention tile, G = {}: micro-batch of {}, {}\n",
                     e.tiling.tile_batch, plural(e.tiling.tiles, "tile"),
                     plural(micro_batch(e.tiling).value, "sequence"), plural(tokens_of(e), "token"));
}

std::vector<std::string> explanation_notes(const Explanation& e) {
  std::vector<std::string> notes;
  for (const std::string& note : e.problem.model.notes) notes.push_back("model: " + note);
  std::ranges::move(assumption_notes(e.problem.wafer, e.problem.workload), std::back_inserter(notes));
  notes.emplace_back(
      "1 multiply-add = 2 FLOPs; GB = 1e9 bytes; times of resources overlap; vector operators are counted, "
      "not timed; ridge: tokens per expert from which the stream no longer binds");
  return notes;
}

std::string write_sections(const std::vector<Section>& sections) {
  std::string text;
  for (const Section& section : sections) {
    text += section.title + "\n" + write_facts(section.facts);
    if (!section.table.heads.empty()) text += write_text_table(section.table, "  ");
    text += "\n";
  }
  return text;
}

}  // namespace bta
