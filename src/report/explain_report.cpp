#include "report/explain_report.h"

#include "report/csv.h"
#include "report/document.h"
#include "report/explain_parts.h"
#include "report/markdown.h"
#include "report/operator_columns.h"
#include "report/text_table.h"

namespace bta {
namespace {

std::string explanation_table(const Explanation& e) {
  std::string text = explanation_heading(e) + "\n" + write_sections(explanation_sections(e));
  for (const std::string& note : explanation_notes(e)) text += write_paragraph(note);
  return text;
}

std::string explanation_markdown(const Explanation& e) {
  std::string text = markdown_heading(explanation_heading(e)) + "\n";
  const std::vector<Section> sections = explanation_sections(e);
  for (const auto& [label, fact] : sections.front().facts)
    text += "- " + markdown_text(label + ": " + fact) + "\n";
  text += "\n" + write_markdown(text_grid(operator_columns(), operator_lines(e))) + "\n";
  return text + markdown_list(explanation_notes(e));
}

std::string explanation_document(const Explanation& e) {
  Json document = document_head("explain");
  add_context(document, e.problem.model, e.problem.wafer, e.problem.workload);
  document.update(explanation_json(e));
  return write_json(document);
}

}  // namespace

std::string write_explanation(const Explanation& e, Format format) {
  switch (format) {
    case Format::table:
      return explanation_table(e);
    case Format::csv:
      return write_csv(machine_grid(operator_columns(), operator_lines(e)));
    case Format::json:
      return explanation_document(e);
    case Format::markdown:
      return explanation_markdown(e);
  }
  return "";
}

}  // namespace bta
