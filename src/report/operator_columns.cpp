#include "report/operator_columns.h"

#include <array>

#include "report/positions.h"

namespace bta {
namespace {

using Op = const OperatorLine&;

template <Resource resource>
Cell seconds(Op op) {
  return op.cost->bound ? cell(op.cost->busy[resource]) : Cell();
}

/// For people the time of the binding resource stands beside its name.
constexpr auto operator_line_columns = std::to_array<Column<OperatorLine>>({
    {"name", "operator", "", Look::text, [](Op op) { return cell(op.cost->name); }},
    {"phase", "phase", "", Look::text, [](Op op) { return cell(op.cost->phase); }},
    {"layers", "layers", "", Look::text, [](Op op) { return op.layers.empty() ? Cell() : cell(op.layers); }},
    {"class", "", "", Look::text, [](Op op) { return cell(name_of(op.cost->flop_class)); }},
    {"flops", "TFLOP", "", Look::tera, [](Op op) { return cell(op.cost->flops); }},
    {"bytes_in", "in", "GB", Look::giga, [](Op op) { return cell(op.cost->bytes_in); }},
    {"bytes_out", "out", "GB", Look::giga, [](Op op) { return cell(op.cost->bytes_out); }},
    {"intensity_flops_per_byte", "FLOP", "/byte", Look::decimal, [](Op op) { return cell(op.cost->intensity); }},
    {"compute_s", "compute", "", Look::seconds, seconds<Resource::compute>},
    {"sram_s", "sram", "", Look::seconds, seconds<Resource::sram>},
    {"broadcast_s", "", "", Look::seconds, seconds<Resource::broadcast>},
    {"reduce_s", "reduce", "", Look::seconds, seconds<Resource::reduce>},
    {"stream_in_s", "in", "time", Look::seconds, seconds<Resource::stream_in>},
    {"stream_out_s", "", "", Look::seconds, seconds<Resource::stream_out>},
    {"bound", "bound", "", Look::text,
     [](Op op) { return op.cost->bound ? cell(resource_names[static_cast<std::size_t>(*op.cost->bound)]) : Cell(); }},
});

}  // namespace

std::vector<OperatorLine> operator_lines(const Explanation& e) {
  std::vector<OperatorLine> lines;
  for (const OperatorCost& op : e.operators) lines.push_back({&op, layers_like(e.problem.model, op.deepest)});
  return lines;
}

std::span<const Column<OperatorLine>> operator_columns() {
  return operator_line_columns;
}

std::string_view name_of(FlopClass flop_class) {
  constexpr std::array<std::string_view, 3> names = {"gemm", "attention", "vector"};
  return names.at(static_cast<std::size_t>(flop_class));
}

}  // namespace bta
