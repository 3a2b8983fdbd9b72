#include "report/hardware_report.h"

#include <fmt/format.h>

#include <array>

#include "report/context.h"
#include "report/csv.h"
#include "report/document.h"
#include "report/markdown.h"
#include "report/text_table.h"

namespace bta {
namespace {

using Number = const SourcedNumber&;
constexpr auto number_columns = std::to_array<Column<SourcedNumber>>({
    {"key", "key", "", Look::text, [](Number n) { return cell(std::string_view(n.key)); }},
    {"value", "value", "", Look::text, [](Number n) { return cell(std::string_view(n.value)); }},
    {"kind", "kind", "", Look::text, [](Number n) { return cell(std::string_view(n.kind)); }},
    {"source", "source", "", Look::text, [](Number n) { return text_or_absent(n.source); }},
});

std::string heading(const Wafer& wafer) {
  return fmt::format("{}\n{} cores, {} bytes for tensors, dense peak {} TFLOP/s, hash {}\n", wafer.name,
                     grouped(product(wafer.rows, wafer.columns)), grouped(memory_limit(wafer).value),
                     for_people(cell(wafer.dense_peak_flops_per_s), Look::tera), wafer.content_hash);
}

std::string closing(const Wafer& wafer) {
  if (!wafer.calibration) return "";
  return "\n" + write_paragraph(calibration_note(wafer)) +
         write_paragraph("calibrated to: " + wafer.calibration->rows);
}

std::string wafer_document(const Wafer& wafer) {
  Json document = document_head("show");
  document["kind"] = "hardware";
  document["name"] = wafer.name;
  document["hash"] = wafer.content_hash;
  document["cores"] = product(wafer.rows, wafer.columns);
  document["memory_limit_bytes"] = memory_limit(wafer).value;
  document["dense_peak_flops_per_s"] = to_json(cell(wafer.dense_peak_flops_per_s));
  if (wafer.calibration) document["calibration"] = calibration_json(wafer);
  document["numbers"] = to_json(machine_grid<SourcedNumber>(number_columns, wafer.numbers));
  return write_json(document);
}

}  // namespace

std::string write_wafer(const Wafer& wafer, Format format) {
  switch (format) {
    case Format::table:
      return heading(wafer) + "\n" +
             write_text_table(text_grid<SourcedNumber>(number_columns, wafer.numbers)) + closing(wafer);
    case Format::csv:
      return write_csv(machine_grid<SourcedNumber>(number_columns, wafer.numbers));
    case Format::json:
      return wafer_document(wafer);
    case Format::markdown:
      return markdown_heading(heading(wafer)) + "\n" +
             write_markdown(text_grid<SourcedNumber>(number_columns, wafer.numbers)) +
             (wafer.calibration ? "\n" + markdown_list({calibration_note(wafer)}) : "");
  }
  return "";
}

}  // namespace bta
