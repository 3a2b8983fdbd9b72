#include "input/measured_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "input/builtin.h"
#include "input/document.h"
#include "input/model_shape.h"
#include "input/quoted.h"
#include "input/reader.h"
#include "input/text_file.h"

namespace bta {
namespace {

namespace fs = std::filesystem;

constexpr IntegerRange batch_range{1, std::int64_t{1} << 40};
constexpr IntegerRange token_range{1, std::int64_t{1} << 40};
constexpr IntegerRange matrices_range{2, 3};
constexpr IntegerRange vocabulary_or_none{0, std::int64_t{1} << 24};
constexpr RealRange throughput_range{1e-9, 1e18, false, false};
constexpr std::size_t most_rows = 1000;
constexpr double agreement = 0.01;  // of two statements of one throughput

struct Context {
  fs::path folder;
  std::string hardware;
  const std::vector<Override>& model_overrides;
  const std::vector<Override>& hardware_overrides;
};

/// A built-in's name stays; a file is looked for beside the CSV.
std::string resolved(const std::string& name, std::span<const Builtin> builtins, const fs::path& folder) {
  const bool builtin = std::ranges::any_of(builtins, [&](const Builtin& b) { return b.name == name; });
  if (builtin || fs::path(name).is_absolute()) return name;
  std::error_code ignored;
  const fs::path beside = folder / name;
  return fs::exists(beside, ignored) ? beside.string() : name;
}

std::string letters_and_digits(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') plain += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) plain += c;
  }
  return plain;
}

/// "CS-2" is cerebras-cs2: the one built-in whose name ends so.
std::string hardware_name(const std::string& given) {
  const std::string plain = letters_and_digits(given);
  std::string found = given;
  for (const Builtin& builtin : builtin_hardware())
    if (plain.size() >= 3 && letters_and_digits(builtin.name).ends_with(plain))
      found = std::string(builtin.name);
  return found;
}

/// What is wrong with a description stands at the cell that names it.
void report(Reader& row, std::string_view key, const Diagnostics& errors) {
  for (const Diagnostic& error : errors) {
    const bool of_name = error.key == "--model" || error.key == "--hardware";  // neither built in nor a file
    row.problem(key, of_name ? error.message : to_string(error));
  }
}

void read_hardware(Reader& row, const Context& context, MeasuredRun& run) {
  const std::string_view key = row.has("system") && !row.has("hardware") ? "system" : "hardware";
  const std::optional<std::string> given = row.text(key, Need::optional);
  if (row.has("system") && row.has("hardware")) row.problem("system", "goes without 'hardware'");
  const std::string name =
      given ? resolved(hardware_name(*given), builtin_hardware(), context.folder) : context.hardware;
  Result<Wafer> wafer = load_wafer(name, context.hardware_overrides);
  if (!wafer) return report(row, key, wafer.error());
  run.wafer = std::move(wafer).value();
}

/// Every column there may be: empty cells are no unknown keys, and a slip finds its nearest name.
constexpr std::array columns = {"name",
                                "model",
                                "layers",
                                "hidden",
                                "heads",
                                "kv_heads",
                                "head_dim",
                                "ffn",
                                "ffn_matrices",
                                "vocab",
                                "experts",
                                "top_k",
                                "expert_width",
                                "hardware",
                                "system",
                                "batch",
                                "micro_batch",
                                "tiles",
                                "wafers",
                                "seq_len",
                                "tokens_per_s",
                                "samples_per_s",
                                "tokens_per_s_per_wafer",
                                "largest_batch",
                                "use",
                                "source",
                                "caveat",
                                "date",
                                "software",
                                "kind",
                                "note"};

/// Cells that would be ignored: each is a slip.
void refuse(Reader& row, std::initializer_list<std::string_view> keys, const std::string& why) {
  for (const std::string_view key : keys)
    if (row.has(key)) row.problem(key, why);
}

FeedForward feed_forward_of(Reader& row) {
  const bool gated = row.integer("ffn_matrices", matrices_range, Need::optional).value_or(3) == 3;
  if (!row.has("experts")) {
    refuse(row, {"top_k", "expert_width"}, "goes with 'experts'");
    return DenseMlp{row.integer("ffn", width_range).value_or(1), gated};
  }
  refuse(row, {"ffn"}, "goes without 'experts', whose width is 'expert_width'");
  MoeMlp moe;
  moe.experts = row.integer("experts", expert_range).value_or(1);
  moe.top_k = read_top_k(row, "top_k", "experts", moe.experts).value_or(1);
  moe.width = row.integer("expert_width", width_range).value_or(1);
  moe.gated = gated;
  return moe;
}

Model model_of_dimensions(Reader& row, const std::string& name) {
  Model model;
  model.name = name;
  model.hidden = row.integer("hidden", hidden_range).value_or(1);
  const auto layers = row.integer("layers", layer_range);
  const auto heads = read_heads(row, {"hidden", "heads", "kv_heads", "head_dim"}, model.hidden, model.notes);
  const Heads h = heads.value_or(Heads{});
  GroupedQueryAttention attention{h.heads, h.kv_heads, h.head_size, h.head_size};
  const Layer layer{attention, feed_forward_of(row)};
  model.layers.assign(static_cast<std::size_t>(layers.value_or(1)), layer);
  model.vocabulary = row.integer("vocab", vocabulary_or_none).value_or(0);
  return model;
}

void read_experts(Reader& row, Model& model) {
  const auto experts = row.integer("experts", expert_range, Need::optional);
  const auto top_k = row.integer("top_k", expert_range, Need::optional);
  const auto width = row.integer("expert_width", width_range, Need::optional);
  if (!experts && !top_k && !width) return;
  const MoeMlp* const moe = moe_of(model);
  if (moe == nullptr)
    return row.problem(experts ? "experts" : top_k ? "top_k" : "expert_width", "the model is dense");
  const std::int64_t e = experts.value_or(moe->experts), k = top_k.value_or(moe->top_k);
  if (k > e)
    return row.problem(top_k ? "top_k" : "experts", fmt::format("top_k {} exceeds the {} experts", k, e));
  const Model all = model;
  model = k == e ? dense_equivalent(with_experts(all, e, k, width.value_or(moe->width)))
                 : with_experts(all, e, k, width.value_or(moe->width));
}

void read_model_of(Reader& row, const Context& context, MeasuredRun& run) {
  const std::string name = row.text("model").value_or("");
  if (name.empty()) return;
  if (row.has("layers") || row.has("hidden")) {
    run.model = model_of_dimensions(row, name);
    return;
  }
  refuse(row, {"heads", "kv_heads", "head_dim", "ffn", "ffn_matrices", "vocab"},
         "goes with 'layers' and 'hidden'");
  Result<Model> model = load_model(resolved(name, builtin_models(), context.folder), context.model_overrides);
  if (!model) return report(row, "model", model.error());
  run.model = std::move(model).value();
  read_experts(row, run.model);
}

void read_batch(Reader& row, MeasuredRun& run) {
  run.wafers = row.integer("wafers", {1, 1 << 20}, Need::optional).value_or(1);
  const bool at_once = row.has("micro_batch");
  const auto batch = row.integer("batch", batch_range, at_once ? Need::optional : Need::required);
  const std::int64_t per_wafer = (batch.value_or(1) + run.wafers - 1) / run.wafers;
  run.micro_batch = row.integer("micro_batch", batch_range, Need::optional).value_or(per_wafer);
  run.batch = batch.value_or(run.micro_batch * run.wafers);
  run.tiles = row.integer("tiles", batch_range, Need::optional).value_or(1);
  if (run.micro_batch % run.tiles != 0)
    row.problem("tiles", fmt::format("the micro-batch of {} sequences is not {} equal tiles", run.micro_batch,
                                     run.tiles));
  if (batch && at_once && run.micro_batch > per_wafer)
    row.problem("micro_batch", fmt::format("{} sequences at once exceed the {} that the batch gives a wafer",
                                           run.micro_batch, per_wafer));
  run.largest_batch = row.integer("largest_batch", batch_range, Need::optional);
  if (run.largest_batch && run.tiles == 1 && *run.largest_batch < run.micro_batch)
    row.problem("largest_batch",
                fmt::format("{} sequences ran at once, so the largest batch is no less", run.micro_batch));
}

void read_throughput(Reader& row, MeasuredRun& run) {
  run.seq_len = row.integer("seq_len", token_range, Need::optional);
  const double wafers = as_double(run.wafers);
  run.samples_per_s = row.real("samples_per_s", throughput_range, Need::optional);
  const auto per_wafer = row.real("tokens_per_s_per_wafer", throughput_range, Need::optional);
  run.tokens_per_s = row.real("tokens_per_s", throughput_range, Need::optional);
  const auto check = [&](std::string_view key, double tokens) {
    if (run.tokens_per_s && std::abs(tokens / *run.tokens_per_s - 1) > agreement)
      row.problem(key, fmt::format("means {} tokens/s, but another column of the row says {}", tokens,
                                   *run.tokens_per_s));
    if (!run.tokens_per_s) run.tokens_per_s = tokens;
  };
  if (per_wafer) check("tokens_per_s_per_wafer", *per_wafer * wafers);
  if (run.samples_per_s && run.tokens_per_s && !run.seq_len)
    row.problem("samples_per_s", "stands beside tokens, so seq_len is needed to compare the two");
  if (run.samples_per_s && run.seq_len) check("samples_per_s", *run.samples_per_s * as_double(*run.seq_len));
}

MeasuredRun read_row(const Node& node, const Context& context, ReadLog& log) {
  Reader row(node, "", {}, log);
  for (const char* column : columns) row.take(column);
  MeasuredRun run;
  run.line = node.children.front().at.line;
  read_model_of(row, context, run);
  read_hardware(row, context, run);
  read_batch(row, run);
  read_throughput(row, run);
  run.fitted = row.choice("use", {"fit", "report"}, Need::optional).value_or(0) == 0;
  run.source = row.text("source", Need::optional).value_or("");
  const std::string software = row.text("software", Need::optional).value_or("");
  run.name = row.text("name", Need::optional)
                 .value_or(fmt::format("{} on {}{}{}", run.model.name, run.wafer.name,
                                       software.empty() ? "" : " ", software));
  row.refuse_unknown_keys();
  return run;
}

/// Two rows of one name are told apart by their lines.
void tell_apart(std::vector<MeasuredRun>& runs) {
  std::vector<std::string> names;
  for (const MeasuredRun& run : runs) names.push_back(run.name);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (std::ranges::count(names, names[i]) > 1) runs[i].name += fmt::format(", line {}", runs[i].line);
}

}  // namespace

Result<MeasuredRuns> load_measured(const std::string& path, const std::string& hardware,
                                   const std::vector<Override>& model_overrides,
                                   const std::vector<Override>& hardware_overrides) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return text.error();
  const Result<Document> document = parse_csv(text.value(), path);
  if (!document) return document.error();
  const std::vector<Node>& rows = document.value().root.children;
  if (rows.empty())
    return Diagnostics{{path, 0, 0, "", "there is no row below the header; a measured run is needed"}};
  if (rows.size() > most_rows)
    return Diagnostics{{path, rows[most_rows].at.line, 0, "",
                        fmt::format("{} rows; at most {} can be calibrated with", rows.size(), most_rows)}};
  const Context context{fs::path(path).parent_path(), hardware, model_overrides, hardware_overrides};
  ReadLog log(path, document.value().problems);
  std::vector<MeasuredRun> runs;
  for (const Node& row : rows) runs.push_back(read_row(row, context, log));
  if (!log.clean()) return log.sorted_problems();
  tell_apart(runs);
  return MeasuredRuns{std::move(runs), fs::path(path).filename().string(),
                      content_hash(document.value().root)};
}

}  // namespace bta
