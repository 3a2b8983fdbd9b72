#include "report/explain_parts.h"
#include "report/operator_columns.h"
#include "report/positions.h"

namespace bta {
namespace {

Json optional_json(const std::optional<double>& value) {
  return to_json(cell(value));
}

Json seconds_json(const ResourceTimes& busy) {
  Json json = Json::object();
  for (std::size_t i = 0; i < resource_count; ++i)
    json[std::string(resource_names[i])] = to_json(cell(busy.seconds[i]));
  return json;
}

Json model_json(const Explanation& e) {
  const ParameterCount& count = e.parameters;
  Json json = {{"name", e.problem.model.name},
               {"total_params", count.total()},
               {"active_params", count.active()},
               {"active_params_without_input_embedding", count.active_without_input_embedding()},
               {"layers", e.problem.model.layers.size()},
               {"experts", nullptr},
               {"top_k", nullptr},
               {"expert_width", nullptr}};
  if (const MoeMlp* moe = moe_of(e.problem.model)) {
    json["experts"] = moe->experts;
    json["top_k"] = moe->top_k;
    json["expert_width"] = moe->width;
  }
  return json;
}

/// Whole when it divides, which it does unless a convention makes half pairs.
Json per_token(Flops flops, std::int64_t tokens) {
  if (flops.value % tokens == 0) return flops.value / tokens;
  return to_json(cell(as_double(flops) / as_double(tokens)));
}

Json flops_json(const Explanation& e) {
  return {{"model_forward_per_token", per_token(e.flops.model_forward, tokens_of(e))},
          {"model_training_per_token", per_token(e.flops.model_training, tokens_of(e))},
          {"model_forward_per_step", e.flops.model_forward.value},
          {"model_training_per_step", e.flops.model_training.value},
          {"hardware_per_step", e.flops.hardware.value},
          {"vector_per_step", e.flops.vector.value}};
}

Json tensors_json(const Peak& peak) {
  Json tensors = Json::array();
  for (const Tensor& tensor : peak.tensors)
    tensors.push_back({{"name", tensor.name},
                       {"bytes", tensor.bytes.value},
                       {"phase", memory_phase_name(peak.phase)},
                       {"first_step", tensor.first},
                       {"last_step", tensor.last}});
  return tensors;
}

Json memory_json(const Explanation& e) {
  return {{"peak_bytes", e.peak.bytes.value},
          {"limit_bytes", e.memory_limit.value},
          {"peak_phase", memory_phase_name(e.peak.phase)},
          {"peak_step", e.peak.step},
          {"resident_weight_bytes", e.resident_weights.value},
          {"tensors", tensors_json(e.peak)}};
}

/// Null where all layers are of one kind, and for what is of no layer.
Json layers_json(const Model& model, std::int64_t deepest) {
  const std::string layers = layers_like(model, deepest);
  return layers.empty() ? Json() : Json(layers);
}

Json operators_json(const Model& model, const std::vector<OperatorCost>& operators) {
  Json rows = Json::array();
  for (const OperatorCost& op : operators) {
    Json row = {{"name", op.name},
                {"phase", op.phase},
                {"layers", layers_json(model, op.deepest)},
                {"class", name_of(op.flop_class)},
                {"flops", op.flops.value},
                {"bytes_in", op.bytes_in.value},
                {"bytes_out", op.bytes_out.value},
                {"intensity_flops_per_byte", optional_json(op.intensity)}};
    row["seconds"] = op.bound ? seconds_json(op.busy) : Json();
    row["bound"] = op.bound ? Json(resource_names[static_cast<std::size_t>(*op.bound)]) : Json();
    rows.push_back(std::move(row));
  }
  return rows;
}

Json phases_json(const Model& model, const StepTime& step) {
  Json rows = Json::array();
  for (const PhaseTime& phase : step.phases)
    rows.push_back({{"phase", phase_name(phase.kind)},
                    {"layers", layers_json(model, phase.deepest)},
                    {"step_share_s", to_json(cell(phase.timed.seconds))},
                    {"seconds", seconds_json(phase.timed.busy)},
                    {"bound", resource_names[static_cast<std::size_t>(binding(phase.timed.busy))]}});
  return rows;
}

Json row_fill_json(const RowFill& fill) {
  return {{"tokens_per_expert", to_json(cell(fill.tokens_per_expert))},
          {"mean_row_load", to_json(cell(fill.mean_row_load))},
          {"expected_slots", to_json(cell(fill.expected_slots))},
          {"compute_density", to_json(cell(fill.compute_density))},
          {"experts_touched", to_json(cell(fill.experts_touched))},
          {"expert_capacity", fill.expert_capacity},
          {"routed_inputs_bytes", fill.routed_inputs.value},
          {"gate_and_up_bytes", fill.gate_and_up.value}};
}

Json ridges_json(const std::vector<Ridge>& ridges) {
  Json rows = Json::array();
  for (const Ridge& ridge : ridges) {
    rows.push_back({{"pass", ridge.pass},
                    {"even_tokens_per_expert", optional_json(ridge.even_tokens_per_expert)},
                    {"filled_tokens_per_expert", optional_json(ridge.filled_tokens_per_expert)},
                    {"distance", optional_json(ridge.distance)}});
  }
  return rows;
}

Json constraints_json(const Constraints& constraints) {
  return {{"max_tile", to_json(cell(constraints.max_tile))},
          {"max_micro_batch", to_json(cell(constraints.max_micro_batch))},
          {"global_batch", to_json(cell(constraints.global_batch))}};
}

}  // namespace

std::int64_t tokens_of(const Explanation& e) {
  return micro_batch_tokens(e.tiling, e.problem.workload.seq_len).value;
}

Json explanation_json(const Explanation& e) {
  Json json = {{"feasible", e.feasible},
               {"reason", to_json(text_or_absent(e.reason))},
               {"tile_batch", e.tiling.tile_batch},
               {"tiles", e.tiling.tiles},
               {"micro_batch", micro_batch(e.tiling).value},
               {"tokens_per_s", to_json(cell(e.tokens_per_s))},
               {"step_s", to_json(cell(e.step.seconds))},
               {"bound", to_json(text_or_absent(e.bound))},
               {"step_bound", to_json(text_or_absent(e.step_bound))},
               {"utilization", to_json(cell(e.utilization.of_published_peak))},
               {"grid_utilization", to_json(cell(e.utilization.of_grid_peak))}};
  json["constraints"] = constraints_json(e.constraints);
  json["model"] = model_json(e);
  json["flops"] = flops_json(e);
  json["memory"] = memory_json(e);
  json["traffic"] = {{"bytes_in_per_step", e.streamed_in.value},
                     {"bytes_out_per_step", e.streamed_out.value}};
  json["seconds"] = seconds_json(e.step.busy);
  json["phases"] = phases_json(e.problem.model, e.step);
  json["operators"] = operators_json(e.problem.model, e.operators);
  json["row_fill"] = e.row_fill ? row_fill_json(*e.row_fill) : Json();
  json["ridges"] = ridges_json(e.ridges);
  return json;
}

}  // namespace bta
