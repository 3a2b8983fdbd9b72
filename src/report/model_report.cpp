#include "report/model_report.h"

#include <fmt/format.h>

#include "base/count.h"
#include "model/parameters.h"
#include "report/csv.h"
#include "report/document.h"
#include "report/explain_parts.h"
#include "report/markdown.h"
#include "report/text_table.h"

namespace bta {
namespace {

struct Part {
  std::string_view name;
  std::int64_t parameters;
  std::int64_t bytes;                    // all resident
  std::optional<std::int64_t> streamed;  // by one pass
};

std::vector<Part> parts_of(const ModelDescription& description) {
  const ParameterCount count = count_parameters(description.model);
  const auto part = [&](std::string_view name, std::int64_t parameters, std::int64_t streamed) {
    return Part{name, parameters, product(parameters, description.weight_bytes),
                product(streamed, description.weight_bytes)};
  };
  const auto whole = [&](std::string_view name, std::int64_t parameters) {
    return part(name, parameters, parameters);
  };
  // A tied table is the head's weight: streamed for the head, counted once.
  const std::int64_t looked_up_only = count.tied ? 0 : count.embedding;
  std::vector<Part> parts = {part("embedding", count.embedding, count.embedding - looked_up_only),
                             whole("attention", count.attention),
                             whole("dense_mlp", count.dense_mlp),
                             whole("router", count.router),
                             whole("shared_experts", count.shared_experts),
                             whole("routed_experts", count.routed_experts),
                             whole("norms", count.norms),
                             whole("output_head", count.output_head),
                             part("total", count.total(), count.total() - looked_up_only)};
  for (const auto& [name, active] :
       {std::pair("active", count.active()),
        std::pair("active_without_input_embedding", count.active_without_input_embedding())})
    parts.push_back({name, active, product(active, description.weight_bytes), {}});
  return parts;
}

constexpr auto part_columns = std::to_array<Column<Part>>({
    {"part", "part", "", Look::text, [](const Part& p) { return cell(p.name); }},
    {"parameters", "parameters", "", Look::count, [](const Part& p) { return cell(p.parameters); }},
    {"resident_weight_bytes", "resident", "bytes", Look::count, [](const Part& p) { return cell(p.bytes); }},
    {"streamed_weight_bytes", "streamed by a pass", "bytes", Look::count,
     [](const Part& p) { return cell(p.streamed); }},
});

struct KindLine {
  LayerKind kind;
};
const GroupedQueryAttention& attention(const KindLine& l) {
  return std::get<GroupedQueryAttention>(l.kind.layer.attention);
}
Cell of_moe(const KindLine& l, std::int64_t MoeMlp::*member) {
  const auto* moe = std::get_if<MoeMlp>(&l.kind.layer.feed_forward);
  return moe ? cell(moe->*member) : Cell();
}
Cell dense_width(const KindLine& l) {
  const auto* mlp = std::get_if<DenseMlp>(&l.kind.layer.feed_forward);
  return mlp ? cell(mlp->width) : Cell();
}
Cell shared_width(const KindLine& l) {
  const auto* moe = std::get_if<MoeMlp>(&l.kind.layer.feed_forward);
  return moe && moe->shared_width > 0 ? cell(moe->shared_width) : Cell();
}
constexpr auto kind_columns = std::to_array<Column<KindLine>>({
    {"layers", "layers", "", Look::count, [](const KindLine& l) { return cell(l.kind.count); }},
    {"heads", "heads", "", Look::count, [](const KindLine& l) { return cell(attention(l).heads); }},
    {"kv_heads", "KV heads", "", Look::count, [](const KindLine& l) { return cell(attention(l).kv_heads); }},
    {"qk_head_dim", "q/k size", "", Look::count,
     [](const KindLine& l) { return cell(attention(l).qk_head_dim); }},
    {"v_head_dim", "v size", "", Look::count,
     [](const KindLine& l) { return cell(attention(l).v_head_dim); }},
    {"sliding_window", "window", "", Look::count,
     [](const KindLine& l) { return attention(l).window ? cell(attention(l).window->keys) : Cell(); }},
    {"experts", "experts", "", Look::count, [](const KindLine& l) { return of_moe(l, &MoeMlp::experts); }},
    {"top_k", "top_k", "", Look::count, [](const KindLine& l) { return of_moe(l, &MoeMlp::top_k); }},
    {"expert_width", "expert width", "", Look::count,
     [](const KindLine& l) { return of_moe(l, &MoeMlp::width); }},
    {"shared_width", "shared width", "", Look::count, shared_width},
    {"dense_width", "MLP width", "", Look::count, dense_width},
});

std::vector<KindLine> kinds_of(const Model& model) {
  std::vector<KindLine> lines;
  for (const LayerKind& kind : layer_kinds(model)) lines.push_back({kind});
  return lines;
}

std::int64_t state_total(const ModelDescription& d) {
  return training_state_bytes(count_parameters(d.model).total(), d.state->sum());
}

std::string state_note(const ModelDescription& d) {
  const StateBytes& s = *d.state;
  return fmt::format(
      "training state: {} weight + {} gradient + {} master + {} moments = {} bytes per parameter, {} bytes",
      s.weight, s.gradient, s.master, s.moments, s.sum(), grouped(state_total(d)));
}

std::vector<std::string> notes_of(const ModelDescription& d) {
  std::vector<std::string> notes;
  if (d.state) notes.push_back(state_note(d));
  for (const std::string& note : d.model.notes) notes.push_back(note);
  notes.push_back(
      fmt::format("{} bytes per weight; resident: all weights at once; streamed: what one pass brings to the "
                  "wafer, every expert once",
                  d.weight_bytes));
  return notes;
}

std::string heading(const Model& m) {
  return fmt::format("{}\n{} layers, hidden {}, vocabulary {}, {} embeddings, hash {}\n", m.name,
                     m.layers.size(), m.hidden, grouped(m.vocabulary), m.tied_embeddings ? "tied" : "untied",
                     m.content_hash);
}

std::string model_table(const ModelDescription& d) {
  std::string text = heading(d.model) + "\n" +
                     write_text_table(text_grid<KindLine>(kind_columns, kinds_of(d.model))) + "\n" +
                     write_text_table(text_grid<Part>(part_columns, parts_of(d))) + "\n";
  for (const std::string& note : notes_of(d)) text += write_paragraph(note);
  return text;
}

std::string model_markdown(const ModelDescription& d) {
  return markdown_heading(heading(d.model)) + "\n" +
         write_markdown(text_grid<KindLine>(kind_columns, kinds_of(d.model))) + "\n" +
         write_markdown(text_grid<Part>(part_columns, parts_of(d))) + "\n" + markdown_list(notes_of(d));
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
  document["layer_kinds"] = to_json(machine_grid<KindLine>(kind_columns, kinds_of(m)));
  document["bytes_per_weight"] = d.weight_bytes;
  document["parts"] = to_json(machine_grid<Part>(part_columns, parts_of(d)));
  for (const Part& part : parts_of(d))
    if (part.name.starts_with("total") || part.name.starts_with("active"))
      document["parameters"][std::string(part.name)] = part.parameters;
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
      return write_csv(machine_grid<Part>(part_columns, parts_of(d)));
    case Format::json:
      return model_document(d);
    case Format::markdown:
      return model_markdown(d);
  }
  return "";
}

}  // namespace bta
