#include "report/sensitivity_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/context.h"
#include "report/csv.h"
#include "report/document.h"
#include "report/markdown.h"
#include "report/sensitivity_parts.h"
#include "report/text_table.h"

namespace bta {
namespace {

TextGrid table_of(const Sensitivity& s) {
  std::vector<ParameterEffect> shown;
  std::ranges::copy_if(s.effects, std::back_inserter(shown), has_effect);
  return text_grid(sensitivity_columns(), shown);
}

std::string point_words(const Candidate& point) {
  return fmt::format("B = {}, G = {}: {} tokens/s", point.tiling.tile_batch, point.tiling.tiles,
                     grouped(point.tokens_per_s));
}

std::string heading(const Sensitivity& s) {
  std::string text = heading_lines(s.problem.model, s.problem.wafer, s.problem.workload);
  text += "Sensitivity of tokens/s to the numbers of the hardware at " + point_words(s.point);
  if (!s.best) return text + "; no tiling fits\n";
  return text +
         (s.best->tiling == s.point.tiling ? ", the best\n" : "; best: " + point_words(*s.best) + "\n");
}

Json point_json(const Candidate& point) {
  return {{"tile_batch", point.tiling.tile_batch},
          {"tiles", point.tiling.tiles},
          {"tokens_per_s", to_json(cell(point.tokens_per_s))}};
}

Json key_json(const ParameterEffect* effect) {
  return effect ? Json(effect->parameter->key) : Json();
}

std::string document(const Sensitivity& s) {
  Json document = document_head("explain");
  add_context(document, s.problem.model, s.problem.wafer, s.problem.workload);
  document.update(point_json(s.point));
  document["feasible"] = s.reason.empty();
  document["reason"] = to_json(text_or_absent(s.reason));
  document["best"] = s.best ? point_json(*s.best) : Json();
  document["improve_next"] = key_json(to_improve(s));
  document["measure_next"] = key_json(to_measure(s));
  document["sensitivity"] = to_json(machine_grid(sensitivity_columns(), s.effects));
  return write_json(document);
}

}  // namespace

std::string write_sensitivity(const Sensitivity& s, Format format) {
  std::string text;
  switch (format) {
    case Format::table:
      text = heading(s) + "\n" + write_text_table(table_of(s)) + "\n";
      for (const std::string& note : sensitivity_notes(s)) text += write_paragraph(note);
      return text;
    case Format::csv:
      return write_csv(machine_grid(sensitivity_columns(), s.effects));
    case Format::json:
      return document(s);
    case Format::markdown:
      return markdown_heading(heading(s)) + "\n" + write_markdown(table_of(s)) + "\n" +
             markdown_list(sensitivity_notes(s));
  }
  return "";
}

}  // namespace bta
