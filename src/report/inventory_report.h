// What is built in.
#pragma once

#include <string>
#include <vector>

#include "hardware/wafer.h"
#include "model/model.h"
#include "report/format.h"

namespace bta {

struct InventoryModel {
  std::string name;  // to be given to --model
  Model model;
};
struct InventoryWafer {
  std::string name;  // to be given to --hardware
  Wafer wafer;
};
/// An empty list is left out.
struct Inventory {
  std::vector<InventoryModel> models;
  std::vector<InventoryWafer> hardware;
};

std::string write_inventory(const Inventory& inventory, Format format);

}  // namespace bta
