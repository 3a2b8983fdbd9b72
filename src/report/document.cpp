#include "report/document.h"

#include "base/version.h"
#include "report/context.h"
#include "report/names.h"

namespace bta {
namespace {

Json assumptions_json(const Model& model, const Wafer& wafer) {
  return {{"hardware", hardware_assumptions_json(wafer)}, {"model", model.notes}};
}

Json routing_json(const MeasuredRouting& routing) {
  Json json = name_and_hash(routing.name, routing.content_hash);
  json["experts"] = routing.tokens_per_expert.size();
  json["layers"] = routing.layers > 0 ? Json(routing.layers) : Json(nullptr);
  return json;
}

}  // namespace

Json conventions_json(const Workload& workload) {
  Json json = Json::object();
  for (const Convention& convention : conventions()) json[std::string(convention.name)] = convention.meaning;
  json["mask"] = mask_meaning(workload.mask);
  return json;
}

Json hardware_assumptions_json(const Wafer& wafer) {
  Json json = Json::array();
  for (const SourcedNumber& number : wafer.numbers)
    if (is_assumption(number)) json.push_back(number_json(number));
  return json;
}

Json document_head(std::string_view command) {
  return {{"schema_version", schema_version},
          {"tool", {{"name", tool_name}, {"version", version}}},
          {"command", command}};
}

Json calibration_json(const Wafer& wafer) {
  if (!wafer.calibration) return {};
  const CalibrationRecord& record = *wafer.calibration;
  Json errors = Json::object();
  for (const CalibratedValue& value : record.values) errors[value.name] = value.standard_error;
  return {{"rows", record.rows},
          {"degrees_of_freedom", record.degrees_of_freedom},
          {"scatter", record.scatter},
          {"standard_error", std::move(errors)},
          {"correlation", record.correlation}};
}

Json number_json(const SourcedNumber& number) {
  return {{"key", number.key},
          {"value", number.value},
          {"kind", number.kind},
          {"source", to_json(text_or_absent(number.source))}};
}

Json name_and_hash(const std::string& name, const std::string& hash) {
  return {{"name", name}, {"hash", hash}};
}

Json workload_json(const Wafer& wafer, const Workload& workload) {
  return {{"seq_len", workload.seq_len},
          {"wafers", workload.wafers},
          {"mask", name_of(workload.mask)},
          {"attention", name_of(workload.kernel)},
          {"checkpoint", name_of(workload.checkpoint)},
          {"routing", name_of(workload.routing)},
          {"placement", name_of(workload.placement)},
          {"precision", name_of(workload.precision)},
          {"activation_bytes", workload.bytes.activation},
          {"weight_bytes", workload.bytes.weight},
          {"gradient_bytes", workload.bytes.gradient},
          {"score_bytes", workload.bytes.score},
          {"head_chunk_tokens", head_chunk_tokens(wafer, workload)},
          {"quantile", workload.capacity_quantile}};
}

void add_context(Json& document, const Model& model, const Wafer& wafer, const Workload& workload) {
  document["conventions"] = conventions_json(workload);
  document["workload"] = workload_json(wafer, workload);
  document["assumptions"] = assumptions_json(model, wafer);
  if (wafer.calibration) document["calibration"] = calibration_json(wafer);
  document["inputs"] = {{"model", name_and_hash(model.name, model.content_hash)},
                        {"hardware", name_and_hash(wafer.name, wafer.content_hash)}};
  if (const auto* measured = std::get_if<MeasuredRouting>(&workload.routing))
    document["inputs"]["routing"] = routing_json(*measured);
}

}  // namespace bta
