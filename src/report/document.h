// The part that all JSON documents share.
#pragma once

#include <string_view>

#include "cost/workload.h"
#include "hardware/wafer.h"
#include "model/model.h"
#include "report/json.h"

namespace bta {

/// schema_version, tool, command.
Json document_head(std::string_view command);

/// Adds conventions, workload, assumptions and inputs (names and content hashes).
void add_context(Json& document, const Model& model, const Wafer& wafer, const Workload& workload);

Json workload_json(const Wafer& wafer, const Workload& workload);
Json conventions_json(const Workload& workload);

/// Every number of the wafer that is neither published nor measured.
Json hardware_assumptions_json(const Wafer& wafer);

/// null when the wafer has no record of a calibration.
Json calibration_json(const Wafer& wafer);
Json number_json(const SourcedNumber& number);
Json name_and_hash(const std::string& name, const std::string& hash);

}  // namespace bta
