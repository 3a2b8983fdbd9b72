// The options that every evaluating command shares, read, checked and loaded: everything that is wrong
// with options and files is reported together.
#pragma once

#include "cli/option_reader.h"
#include "cost/workload.h"
#include "hardware/wafer.h"
#include "model/model.h"
#include "plan/constraints.h"
#include "plan/level.h"
#include "report/format.h"

namespace bta::cli {

/// What is evaluated.
struct Subject {
  Model model;
  Wafer wafer;
  Workload workload;
  Constraints constraints;
  LevelRequest levels;
};

/// The workload options alone; `wafers` is not read.
Workload read_workload(OptionReader& reader);

/// Absent when anything is wrong: the reader has the errors.
std::optional<Subject> read_subject(OptionReader& reader);

struct OutputOptions {
  Format format = Format::table;
  std::string path = "-";
  bool quiet = false;
};
OutputOptions read_output(OptionReader& reader);

/// `--precision`, and the bytes per element that follow it or are given.
void read_precision(OptionReader& reader, Workload& workload);

}  // namespace bta::cli
