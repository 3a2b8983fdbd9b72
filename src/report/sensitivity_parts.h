// The parts that the writers of a sensitivity share; not for other rooms.
//   to improve next  the number whose replanned step gains most, in the direction that gains; none
//                    where nothing is feasible
//   to measure next  the number with the largest effect of those that are neither published nor measured
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plan/sensitivity.h"
#include "report/grid.h"

namespace bta {

std::span<const Column<ParameterEffect>> sensitivity_columns();

/// The size of a step in the number's unit: "1 %", "10", "0.01", "100 us".
std::string step_words(const ParameterEffect& effect, const StepSizes& steps);
/// "1 % more", "0.01 less"; empty when the range has no room.
std::string small_step_words(const ParameterEffect& effect);

/// nullptr: no number has any effect (of that standing).
const ParameterEffect* to_improve(const Sensitivity& sensitivity);
const ParameterEffect* to_measure(const Sensitivity& sensitivity);

std::vector<std::string> sensitivity_notes(const Sensitivity& sensitivity);

}  // namespace bta
