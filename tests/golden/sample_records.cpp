#include "golden/sample_records.h"

#include <limits>

namespace bta::golden {
namespace {

const std::string hash(std::size_t digit) {
  return std::string(64, "0123456789abcdef"[digit]);
}

PlanRow feasible_row() {
  PlanRow row;
  row.level = Level{8, 2, 32};
  row.sparsity = 0.75;
  row.best = Candidate{{3, 5}, 0.1, 19200.5, Bytes(900'000'000)};
  row.uniform = Candidate{{4, 1}, 0.05, 9600.25, Bytes(800'000'000)};
  row.dense = Candidate{{6, 1}, 0.04, 16000, Bytes(700'000'000)};
  row.tokens_per_expert = 480;
  row.speedup = 2;
  row.loss_uniform = 0.399984375;
  row.loss_bta = -0.20003125;
  row.utilization = Utilization{0.123456789, 0.25};
  row.bound = "memory";
  row.step_bound = "stream-in";
  row.blocked_tokens_per_s = 20000;
  row.blocked_speedup = 1.0 / 3;
  row.active_parameters = 63296;
  row.memory_limit = Bytes(1'000'000'000);
  return row;
}

PlanRow infeasible_row() {
  PlanRow row;
  row.level = Level{128, 1, 64};
  row.sparsity = 0.9921875;
  row.active_parameters = 70000;
  row.memory_limit = Bytes(1'000'000'000);
  row.reason = "attention backward needs 2 GB of 1 GB, \"live\" scores; fits with -B 1 -G 1";
  return row;
}

PhaseTime phase(PhaseKind kind, double seconds, Resource resource) {
  PhaseTime time{kind, {}};
  time.timed.seconds = seconds;
  time.timed.busy[resource] = seconds / 2;
  return time;
}

StepTime sample_step() {
  StepTime step;
  step.phases = {phase(PhaseKind::attention_forward, 0.25, Resource::compute),
                 phase(PhaseKind::experts_forward, 0.5, Resource::stream_in),
                 phase(PhaseKind::fixed, 0.0625, Resource::overhead)};
  for (const PhaseTime& time : step.phases) {
    step.seconds += time.timed.seconds;
    step.busy += time.timed.busy;
  }
  return step;
}

std::vector<OperatorCost> sample_operators() {
  OperatorCost gemm{.name = "q_proj",
                    .phase = "attention forward",
                    .flop_class = FlopClass::gemm,
                    .flops = Flops(2'000'000'000'000),
                    .bytes_in = Bytes(8192),
                    .bytes_out = Bytes(0),
                    .intensity = 1e12 / 4096,
                    .busy = {},
                    .bound = Resource::compute};
  gemm.busy[Resource::compute] = 0.1;
  gemm.busy[Resource::stream_in] = 1e-7;
  const OperatorCost vector{.name = "softmax",
                            .phase = "attention forward",
                            .flop_class = FlopClass::vector,
                            .flops = Flops(1'234'567),
                            .bytes_in = {},
                            .bytes_out = {},
                            .intensity = {},
                            .busy = {},
                            .bound = {}};
  return {gemm, vector};
}

verify::Check flop_check() {
  return {.claim = "FLOPs of every operator equal the closed form",
          .about = "scaled tiny, B 2, G 3, checkpoint XY",
          .compared = 1234,
          .worst = "",
          .expected = 4096,
          .measured = 4096,
          .note = ""};
}

verify::Check close_check() {
  return {.claim =
              "=loss, \"tiled\" | untiled: every sequence's loss and every weight's gradient agree in double",
          .about = "scaled tiny, B 2, G 3, checkpoint XY",
          .measure = verify::Measure::to_largest,
          .compared = 25'000,
          .deviation = 3.0517578125e-14,
          .tolerance = 1e-12,
          .worst = "dW of layer 1 q_proj at 7",
          .expected = 0.125,
          .measured = 0.12500000000000003,
          .note = ""};
}

verify::Check wrong_check() {
  return {.claim = "bytes of every stream equal the closed form",
          .about = "200 random configurations",
          .compared = 800,
          .failed = 3,
          .deviation = 1,
          .worst = "configuration 17, \"MoE backward\", in",
          .expected = 1'048'576,
          .measured = 2'097'152,
          .note = ""};
}

verify::Check broken_check() {
  return {.claim = "untiled step in float equals the same in double",
          .about = "scaled tiny, B 2, G 3, checkpoint XY",
          .measure = verify::Measure::relative,
          .compared = 2,
          .failed = 1,
          .deviation = std::numeric_limits<double>::infinity(),
          .tolerance = 1e-5,
          .worst = "loss",
          .expected = -2.5,
          .measured = std::numeric_limits<double>::quiet_NaN(),
          .note =
              "the untiled step ran first, so that both see the same weights, tokens and routing, and are "
              "compared by sequence"};
}

verify::Check mean_check() {
  return {.claim = "time of a step is the mean of many runs",
          .about = "scaled tiny, zipf:1.1, 4096 seeds",
          .measure = verify::Measure::standard_error,
          .compared = 12,
          .deviation = 1.625,
          .tolerance = 4,
          .worst = "experts forward",
          .expected = 0.001220703125,
          .measured = 0.00122,
          .note = "standard error 0.1 % of the mean"};
}

verify::Check empty_check() {
  return {.claim = "windows skip what they should",
          .about = "200 random configurations",
          .worst = "",
          .expected = {},
          .measured = {},
          .note = ""};
}

RowFill sample_rows() {
  return {.tokens_per_expert = 480,
          .mean_row_load = 120,
          .expected_slots = 160,
          .compute_density = 0.75,
          .experts_touched = 7.875,
          .expert_capacity = 512,
          .routed_inputs = Bytes(491'520),
          .gate_and_up = Bytes(491'520)};
}

}  // namespace

Model sample_model() {
  const GroupedQueryAttention attention{.heads = 4, .kv_heads = 2, .qk_head_dim = 16, .v_head_dim = 16};
  const MoeMlp moe{.experts = 8, .top_k = 2, .width = 32};
  Model model{.name = "=tiny|\xC3\xA9",
              .hidden = 64,
              .vocabulary = 100,
              .tied_embeddings = false,
              .layers = {},
              .notes = {},
              .content_hash = hash(1)};
  model.layers.assign(2, Layer{attention, moe});
  model.notes = {"head_dim is derived: hidden_size / num_heads"};
  return model;
}

Wafer sample_wafer() {
  Wafer wafer;
  wafer.name = "toy, \"1\"";
  wafer.rows = 4;
  wafer.columns = 2;
  wafer.sram_per_core = Bytes(125'000'000);
  wafer.clock_hz = 1e9;
  wafer.vector_width = {.fp16 = 4, .bf16 = {}, .fp32 = {}};
  wafer.sram_read_bytes_per_cycle = wafer.sram_write_bytes_per_cycle = wafer.link_bytes_per_cycle = 4;
  wafer.stream_in_bytes_per_s = wafer.stream_out_bytes_per_s = 1e9;
  wafer.dense_peak_flops_per_s = 6.4e10;
  wafer.numbers = {{"grid.rows", "4", "datasheet", "a book, page 1"},
                   {"efficiency.gemm", "0.45", "calibrated", "fitted"},
                   {"efficiency.wafer_overlap", "1", "assumed", ""}};
  wafer.content_hash = hash(2);
  return wafer;
}

Plan sample_plan() {
  Plan plan;
  plan.request = {sample_model(), sample_wafer(), {}, {}, {{8, 2, 32}, {128, 1, 64}}, true};
  plan.request.constraints.max_tile = 12;
  plan.rows = {feasible_row(), infeasible_row()};
  return plan;
}

Plan infeasible_plan() {
  Plan plan = sample_plan();
  plan.rows = {infeasible_row(), infeasible_row()};
  return plan;
}

Explanation sample_explanation(Tiling tiling) {
  Explanation e;
  e.problem = make_problem(sample_model(), sample_wafer(), {});
  e.tiling = tiling;
  e.parameters = count_parameters(e.problem.model);
  const std::int64_t tokens = micro_batch_tokens(tiling, 2048).value;
  e.flops = {.model_forward = Flops(1000 * tokens),
             .model_training = Flops(3000 * tokens),
             .hardware = Flops(4000 * tokens),
             .vector = Flops(7)};
  e.step = sample_step();
  e.tokens_per_s = as_double(tokens) / e.step.seconds;
  e.utilization = {0.125, 0.5};
  e.bound = "memory";
  e.step_bound = "stream-in";
  e.peak = {MemoryPhase::moe_backward, 3, Bytes(750), {{"Y", Bytes(250), 1, 5}, {"dY", Bytes(500), 3, 5}}};
  e.memory_limit = Bytes(1000);
  e.streamed_in = Bytes(123'456'789);
  e.streamed_out = Bytes(1);
  e.resident_weights = Bytes(24'576);
  e.feasible = true;
  e.operators = sample_operators();
  e.row_fill = sample_rows();
  e.ridges = {{"forward", 300.5, 250.25, 1.92}, {"backward", {}, {}, 0}};
  return e;
}

verify::Request sample_request() {
  verify::Request request;
  request.problem = make_problem(sample_model(), sample_wafer(), {});
  request.tiling = Tiling{2, 3};
  request.seed = 7;
  return request;
}

verify::Verification sample_verification() {
  return {{"scaled: 2 of 2 layers, hidden 32 of 64", "not covered: the optimizer's update"},
          {flop_check(), close_check(), wrong_check(), broken_check(), mean_check(), empty_check()}};
}

}  // namespace bta::golden
