#include "report/plan_columns.h"

#include <array>

#include "report/context.h"
#include "report/names.h"

namespace bta {
namespace {

using Line = const PlanLine&;

const PlanRequest& asked(Line line) {
  return line.plan->request;
}
const Workload& workload(Line line) {
  return asked(line).workload;
}

template <class Member>
Cell of_level(Line line, Member member) {
  return line.row->level ? cell((*line.row->level).*member) : Cell();
}

template <class Get>
Cell of(const std::optional<Candidate>& candidate, Get get) {
  return candidate ? cell(get(*candidate)) : Cell();
}

std::int64_t tile_batch(const Candidate& c) {
  return c.tiling.tile_batch;
}
std::int64_t tiles(const Candidate& c) {
  return c.tiling.tiles;
}
std::int64_t sequences(const Candidate& c) {
  return micro_batch(c.tiling).value;
}
double throughput(const Candidate& c) {
  return c.tokens_per_s;
}

Cell expert_width(Line line) {
  return of_level(line, &Level::expert_width);
}
Cell utilization_of(Line line, double Utilization::*peak) {
  return line.row->utilization ? cell((*line.row->utilization).*peak) : Cell();
}
Cell bound(Line line) {
  return line.row->feasible() ? text_or_absent(line.row->bound) : Cell();
}
Cell step_bound(Line line) {
  return line.row->feasible() ? text_or_absent(line.row->step_bound) : Cell();
}

constexpr auto all_plan_columns = std::to_array<Column<PlanLine>>({
    {"model", "", "", Look::text, [](Line l) { return cell(std::string_view(asked(l).model.name)); }},
    {"hardware", "", "", Look::text, [](Line l) { return cell(std::string_view(asked(l).wafer.name)); }},
    {"wafers", "", "", Look::count, [](Line l) { return cell(workload(l).wafers); }},
    {"seq_len", "", "", Look::count, [](Line l) { return cell(workload(l).seq_len); }},
    {"experts", "E", "", Look::count, [](Line l) { return of_level(l, &Level::experts); }},
    {"top_k", "k", "", Look::count, [](Line l) { return of_level(l, &Level::top_k); }},
    {"sparsity", "", "", Look::percent, [](Line l) { return cell(l.row->sparsity); }},
    {"expert_width", "width", "", Look::count, expert_width},
    {"tile_batch", "B", "", Look::count, [](Line l) { return of(l.row->best, tile_batch); }},
    {"tiles", "G", "", Look::count, [](Line l) { return of(l.row->best, tiles); }},
    {"micro_batch", "", "", Look::count, [](Line l) { return of(l.row->best, sequences); }},
    {"tokens_per_expert", "tokens/", "expert", Look::decimal,
     [](Line l) { return cell(l.row->tokens_per_expert); }},
    {"tokens_per_s", "tokens/s", "", Look::count, [](Line l) { return of(l.row->best, throughput); }},
    {"uniform_batch", "unif.", "B", Look::count, [](Line l) { return of(l.row->uniform, sequences); }},
    {"uniform_tokens_per_s", "uniform", "tokens/s", Look::count,
     [](Line l) { return of(l.row->uniform, throughput); }},
    {"speedup", "speedup", "", Look::factor, [](Line l) { return cell(l.row->speedup); }},
    {"dense_tokens_per_s", "dense", "tokens/s", Look::count,
     [](Line l) { return of(l.row->dense, throughput); }},
    {"loss_uniform", "loss", "unif.", Look::percent, [](Line l) { return cell(l.row->loss_uniform); }},
    {"loss_bta", "loss", "BTA", Look::percent, [](Line l) { return cell(l.row->loss_bta); }},
    {"utilization", "of", "peak", Look::percent,
     [](Line l) { return utilization_of(l, &Utilization::of_published_peak); }},
    {"bound", "bound", "", Look::text, bound},
    {"memory_bytes", "memory", "GB", Look::giga,
     [](Line l) { return of(l.row->best, [](const Candidate& c) { return c.peak.value; }); }},
    {"memory_limit_bytes", "", "", Look::giga, [](Line l) { return cell(l.row->memory_limit); }},
    {"status", "", "", Look::text,
     [](Line l) { return cell(std::string_view(l.row->feasible() ? "ok" : "infeasible")); }},
    {"reason", "", "", Look::text, [](Line l) { return text_or_absent(l.row->reason); }},
    {"mask", "", "", Look::text, [](Line l) { return cell(name_of(workload(l).mask)); }},
    {"attention", "", "", Look::text, [](Line l) { return cell(name_of(workload(l).kernel)); }},
    {"checkpoint", "", "", Look::text, [](Line l) { return cell(name_of(workload(l).checkpoint)); }},
    {"routing", "", "", Look::text, [](Line l) { return Cell(name_of(workload(l).routing)); }},
    {"placement", "", "", Look::text, [](Line l) { return cell(name_of(workload(l).placement)); }},
    {"precision", "", "", Look::text, [](Line l) { return cell(name_of(workload(l).precision)); }},
    {"iso_active", "", "", Look::text, [](Line l) { return cell(asked(l).iso_active); }},
    {"model_hash", "", "", Look::text, [](Line l) { return text_or_absent(asked(l).model.content_hash); }},
    {"hardware_hash", "", "", Look::text, [](Line l) { return text_or_absent(asked(l).wafer.content_hash); }},
    {"step_s", "", "", Look::seconds,
     [](Line l) { return of(l.row->best, [](const Candidate& c) { return c.step_s; }); }},
    {"step_bound", "", "", Look::text, step_bound},
    {"grid_utilization", "", "", Look::percent,
     [](Line l) { return utilization_of(l, &Utilization::of_grid_peak); }},
    {"active_params", "", "", Look::count, [](Line l) { return cell(l.row->active_parameters); }},
    {"dense_batch", "", "", Look::count, [](Line l) { return of(l.row->dense, sequences); }},
    {"blocked_tokens_per_s", "", "", Look::count, [](Line l) { return cell(l.row->blocked_tokens_per_s); }},
    {"blocked_speedup", "", "", Look::factor, [](Line l) { return cell(l.row->blocked_speedup); }},
    {"head_chunk_tokens", "", "", Look::count,
     [](Line l) { return cell(head_chunk_tokens(asked(l).wafer, workload(l))); }},
    {"quantile", "", "", Look::decimal, [](Line l) { return cell(workload(l).capacity_quantile); }},
    {"max_tile", "", "", Look::count, [](Line l) { return cell(asked(l).constraints.max_tile); }},
    {"max_micro_batch", "", "", Look::count,
     [](Line l) { return cell(asked(l).constraints.max_micro_batch); }},
    {"global_batch", "", "", Look::count, [](Line l) { return cell(asked(l).constraints.global_batch); }},
    {"activation_bytes", "", "", Look::count, [](Line l) { return cell(workload(l).bytes.activation); }},
    {"weight_bytes", "", "", Look::count, [](Line l) { return cell(workload(l).bytes.weight); }},
    {"gradient_bytes", "", "", Look::count, [](Line l) { return cell(workload(l).bytes.gradient); }},
    {"score_bytes", "", "", Look::count, [](Line l) { return cell(workload(l).bytes.score); }},
    {"routing_hash", "", "", Look::text, [](Line l) { return text_or_absent(hash_of(workload(l).routing)); }},
});

constexpr Column<PlanLine> assumptions = {"assumptions", "", "", Look::text, [](Line l) {
                                            return text_or_absent(assumptions_in_one_line(asked(l).wafer));
                                          }};

}  // namespace

std::vector<PlanLine> lines_of(const Plan& plan) {
  std::vector<PlanLine> lines;
  for (const PlanRow& row : plan.rows) lines.push_back({&plan, &row});
  return lines;
}

std::span<const Column<PlanLine>> plan_columns() {
  return all_plan_columns;
}

const Column<PlanLine>& assumptions_column() {
  return assumptions;
}

}  // namespace bta
