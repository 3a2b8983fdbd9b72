#include "report/inventory_report.h"

#include <array>

#include "model/parameters.h"
#include "report/csv.h"
#include "report/document.h"
#include "report/markdown.h"
#include "report/text_table.h"

namespace bta {
namespace {

using M = const InventoryModel&;
using W = const InventoryWafer&;

Cell of_moe(M m, std::int64_t MoeMlp::*member) {
  const MoeMlp* moe = moe_of(m.model);
  return moe ? cell(moe->*member) : Cell();
}

constexpr auto model_columns = std::to_array<Column<InventoryModel>>({
    {"name", "model", "", Look::text, [](M m) { return cell(std::string_view(m.name)); }},
    {"total_params", "parameters", "", Look::count,
     [](M m) { return cell(count_parameters(m.model).total()); }},
    {"active_params", "active", "", Look::count,
     [](M m) { return cell(count_parameters(m.model).active()); }},
    {"layers", "layers", "", Look::count,
     [](M m) { return Cell(static_cast<std::int64_t>(m.model.layers.size())); }},
    {"hidden", "hidden", "", Look::count, [](M m) { return cell(m.model.hidden); }},
    {"experts", "experts", "", Look::count, [](M m) { return of_moe(m, &MoeMlp::experts); }},
    {"top_k", "top_k", "", Look::count, [](M m) { return of_moe(m, &MoeMlp::top_k); }},
    {"expert_width", "width", "", Look::count, [](M m) { return of_moe(m, &MoeMlp::width); }},
});

constexpr auto wafer_columns = std::to_array<Column<InventoryWafer>>({
    {"name", "hardware", "", Look::text, [](W w) { return cell(std::string_view(w.name)); }},
    {"rows", "rows", "", Look::count, [](W w) { return cell(w.wafer.rows); }},
    {"columns", "columns", "", Look::count, [](W w) { return cell(w.wafer.columns); }},
    {"memory_limit_bytes", "memory", "GB", Look::giga, [](W w) { return cell(memory_limit(w.wafer)); }},
    {"dense_peak_flops_per_s", "dense peak", "TFLOP/s", Look::tera,
     [](W w) { return cell(w.wafer.dense_peak_flops_per_s); }},
    {"stream_in_bytes_per_s", "stream in", "GB/s", Look::giga,
     [](W w) { return cell(w.wafer.stream_in_bytes_per_s); }},
    {"stream_out_bytes_per_s", "stream out", "GB/s", Look::giga,
     [](W w) { return cell(w.wafer.stream_out_bytes_per_s); }},
});

/// One list for spreadsheets: what both kinds have.
Grid names_grid(const Inventory& inventory) {
  Grid grid{{"kind", "name", "hash"}, {}};
  for (const InventoryModel& m : inventory.models)
    grid.rows.push_back({cell(std::string_view("model")), m.name, m.model.content_hash});
  for (const InventoryWafer& w : inventory.hardware)
    grid.rows.push_back({cell(std::string_view("hardware")), w.name, w.wafer.content_hash});
  return grid;
}

std::string inventory_json(const Inventory& inventory) {
  Json document = document_head("list");
  document["models"] = to_json(machine_grid<InventoryModel>(model_columns, inventory.models));
  document["hardware"] = to_json(machine_grid<InventoryWafer>(wafer_columns, inventory.hardware));
  return write_json(document);
}

std::string inventory_csv(const Inventory& inventory) {
  if (inventory.hardware.empty())
    return write_csv(machine_grid<InventoryModel>(model_columns, inventory.models));
  if (inventory.models.empty())
    return write_csv(machine_grid<InventoryWafer>(wafer_columns, inventory.hardware));
  return write_csv(names_grid(inventory));
}

template <class Write>
std::string both_tables(const Inventory& inventory, Write write) {
  std::string text;
  if (!inventory.models.empty()) text += write(text_grid<InventoryModel>(model_columns, inventory.models));
  if (!inventory.hardware.empty())
    text += (text.empty() ? "" : "\n") + write(text_grid<InventoryWafer>(wafer_columns, inventory.hardware));
  return text;
}

}  // namespace

std::string write_inventory(const Inventory& inventory, Format format) {
  switch (format) {
    case Format::csv:
      return inventory_csv(inventory);
    case Format::json:
      return inventory_json(inventory);
    case Format::table:
      return both_tables(inventory, [](const TextGrid& grid) { return write_text_table(grid); });
    case Format::markdown:
      return both_tables(inventory, write_markdown);
  }
  return "";
}

}  // namespace bta
