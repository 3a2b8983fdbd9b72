#include "report/model_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/parameters.h"
#include "report/csv.h"
#include "report/document.h"
#include "report/markdown.h"
#include "report/model_layers.h"
#include "report/model_parts.h"
#include "report/text_table.h"

namespace bta {
namespace {

std::int64_t state_total(const ModelDescription& d) {
  return training_state_bytes(count_parameters(d.model).total(), d.state->sum());
}

std::string state_note(const ModelDescription& d) {
  const StateBytes& s = *d.state;
  return fmt::format(
      "training state: {} weight + {} gradient + {} master + {} moments = {} bytes per parameter, {} bytes",
      s.weight, s.gradient, s.master, s.moments, s.sum(), grouped(state_total(d)));
}

std::string bytes_note(const ModelDescription& d) {
  const Model& m = d.model;
  std::string text = fmt::format(
      "{} bytes per weight; resident: all weights at once; streamed: what one pass brings to the wafer, "
      "every expert once",
      d.weight_bytes);
  if (m.positions > 0 || !m.tied_embeddings)
    text +=
        fmt::format("; looked up off the wafer, not streamed: {}{}{}", m.tied_embeddings ? "" : "embedding",
                    m.positions > 0 && !m.tied_embeddings ? ", " : "", m.positions > 0 ? "positions" : "");
  if (std::ranges::any_of(m.layers, &Layer::post_norms))
    text += "; gains of the norms after attention and MLP are counted, not streamed";
  return text;
}

std::vector<std::string> notes_of(const ModelDescription& d) {
  std::vector<std::string> notes;
  if (d.state) notes.push_back(state_note(d));
  for (const std::string& note : d.model.notes) notes.push_back(note);
  notes.push_back(bytes_note(d));
  return notes;
}

/// What holds for all layers; a model in which it does not says so.
std::string block_text(const Model& m, bool Layer::*member, std::string_view text) {
  const auto holding = std::ranges::count_if(m.layers, member);
  if (holding == 0) return "";
  if (std::cmp_equal(holding, m.layers.size())) return fmt::format(", {}", text);
  return fmt::format(", {} in {} layers", text, holding);
}

std::string shape_text(const Model& m) {
  std::string text = fmt::format("{} layers, hidden {}, vocabulary {}, {} embeddings", m.layers.size(),
                                 m.hidden, grouped(m.vocabulary), m.tied_embeddings ? "tied" : "untied");
  if (m.positions > 0) text += fmt::format(", {} learned positions", grouped(m.positions));
  if (m.head_bias) text += ", output head with bias";
  return text + block_text(m, &Layer::norm_bias, "norms with bias") +
         block_text(m, &Layer::parallel, "attention and MLP in parallel") +
         block_text(m, &Layer::post_norms, "norms after attention and MLP too");
}

std::string heading(const Model& m) {
  return fmt::format("{}\n{}, hash {}\n", m.name, shape_text(m), m.content_hash);
}

constexpr std::size_t page_width = 100;  // of the page

std::string model_table(const ModelDescription& d) {
  std::string text =
      fmt::format("{}\n{}hash {}\n\n", d.model.name,
                  write_paragraph(shape_text(d.model), "", "  ", page_width), d.model.content_hash);
  text += write_text_table(attention_table(d.model)) + "\n" + write_text_table(feed_forward_table(d.model)) +
          "\n";
  text += write_text_table(model_bytes_table(model_bytes(d.model, d.weight_bytes))) + "\n";
  for (const std::string& note : notes_of(d)) text += write_paragraph(note, "", "  ", page_width);
  return text;
}

std::string model_markdown(const ModelDescription& d) {
  return markdown_heading(heading(d.model)) + "\n" + write_markdown(attention_table(d.model)) + "\n" +
         write_markdown(feed_forward_table(d.model)) + "\n" +
         write_markdown(model_bytes_table(model_bytes(d.model, d.weight_bytes))) + "\n" +
         markdown_list(notes_of(d));
}

Json state_json(const ModelDescription& d) {
  const StateBytes& s = *d.state;
  return {{"weight_bytes", s.weight},  {"gradient_bytes", s.gradient},   {"master_bytes", s.master},
          {"moment_bytes", s.moments}, {"bytes_per_parameter", s.sum()}, {"total_bytes", state_total(d)}};
}

std::string model_document(const ModelDescription& d) {
  const Model& m = d.model;
  Json document = document_head("show");
  document["kind"] = "model";
  document["name"] = m.name;
  document["hash"] = m.content_hash;
  document["hidden"] = m.hidden;
  document["vocabulary"] = m.vocabulary;
  document["tied_embeddings"] = m.tied_embeddings;
  document["layers"] = m.layers.size();
  document["position_embeddings"] = m.positions;
  document["norm_bias"] = m.norm_bias;
  document["head_bias"] = m.head_bias;
  document["layer_kinds"] = layer_kinds_json(m);
  document["bytes_per_weight"] = d.weight_bytes;
  std::vector<ModelBytes> parts = model_bytes(m, d.weight_bytes);
  std::erase_if(parts, [](const ModelBytes& part) { return !part.resident; });
  document["parts"] = to_json(model_bytes_grid(parts));
  for (const ModelBytes& part : parts)
    if (part.name.starts_with("total") || part.name.starts_with("active"))
      document["parameters"][part.name] = part.parameters;
  document["beside"] = Json::array();
  for (const ModelPart& part : m.beside)
    document["beside"].push_back({{"part", part.name}, {"parameters", part.parameters}});
  document["state"] = d.state ? state_json(d) : Json();
  document["notes"] = m.notes;
  return write_json(document);
}

}  // namespace

std::string write_model(const ModelDescription& d, Format format) {
  switch (format) {
    case Format::table:
      return model_table(d);
    case Format::csv:
      return write_csv(model_bytes_grid(model_bytes(d.model, d.weight_bytes)));
    case Format::json:
      return model_document(d);
    case Format::markdown:
      return model_markdown(d);
  }
  return "";
}

}  // namespace bta
