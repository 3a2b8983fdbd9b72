#include "input/hf_refused.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "input/hf_keys.h"
#include "input/model_shape.h"

namespace bta {
namespace {

constexpr std::string_view delta_rule = "gated delta-rule linear attention", mamba = "Mamba state-space",
                           lightning = "lightning linear attention", convolution = "gated short convolutions",
                           indexer = "an indexer that picks the keys a query sees (sparse attention)",
                           shared_keys = "keys and values that several layers share";

constexpr std::array refused{
    HfRefused{"qwen3_next", "Qwen3NextForCausalLM", delta_rule, true},
    HfRefused{"qwen3_5", "Qwen3_5ForConditionalGeneration", delta_rule, true},
    HfRefused{"qwen3_5_text", "Qwen3_5ForCausalLM", delta_rule, true},
    HfRefused{"qwen3_5_moe", "Qwen3_5MoeForConditionalGeneration", delta_rule, true},
    HfRefused{"qwen3_5_moe_text", "Qwen3_5MoeForCausalLM", delta_rule, true},
    HfRefused{"kimi_linear", "KimiLinearForCausalLM", "Kimi delta attention (linear)", true},
    HfRefused{"minimax_m1", "MiniMaxM1ForCausalLM", lightning, true},
    HfRefused{"minimax_text_01", "MiniMaxText01ForCausalLM", lightning, true},
    HfRefused{"minimax", "MiniMaxForCausalLM", lightning, true},
    HfRefused{"bailing_moe_linear", "BailingMoeLinearV2ForCausalLM", lightning, true},
    HfRefused{"bailing_hybrid", "BailingMoeV2_5ForCausalLM", lightning, true},
    HfRefused{"jamba", "JambaForCausalLM", mamba, true},
    HfRefused{"mamba", "MambaForCausalLM", mamba, true},
    HfRefused{"mamba2", "Mamba2ForCausalLM", mamba, true},
    HfRefused{"falcon_mamba", "FalconMambaForCausalLM", mamba, true},
    HfRefused{"falcon_h1", "FalconH1ForCausalLM", "Mamba-2 state-space beside attention", true},
    HfRefused{"bamba", "BambaForCausalLM", "Mamba-2 state-space", true},
    HfRefused{"zamba2", "Zamba2ForCausalLM", "Mamba-2 state-space", true},
    HfRefused{"granitemoehybrid", "GraniteMoeHybridForCausalLM", "Mamba-2 state-space", true},
    HfRefused{"nemotron_h", "NemotronHForCausalLM", "Mamba-2 state-space or an MLP alone", true},
    HfRefused{"recurrent_gemma", "RecurrentGemmaForCausalLM", "linear recurrent units", true},
    HfRefused{"lfm2", "Lfm2ForCausalLM", convolution, true},
    HfRefused{"lfm2_moe", "Lfm2MoeForCausalLM", convolution, true},
    HfRefused{"deepseek_v32", "DeepseekV32ForCausalLM", indexer, false},
    HfRefused{"glm_moe_dsa", "GlmMoeDsaForCausalLM", indexer, false},
    HfRefused{"deepseek_v4", "DeepseekV4ForCausalLM", "compressed and sparse attention", false},
    HfRefused{"hunyuan", "HunYuanForCausalLM", shared_keys, false},
    HfRefused{"longcat_flash", "LongcatFlashForCausalLM",
              "zero-computation experts and two attentions a layer", false},
    HfRefused{"step3_text", "Step3TextForCausalLM", "multi-matrix factorization attention", false},
    HfRefused{"step3_vl", "Step3VLForConditionalGeneration", "multi-matrix factorization attention", false},
    HfRefused{"arctic", "ArcticForCausalLM", "a dense MLP that runs beside the experts of a layer", false},
};

std::int64_t number(const Node& keys, std::string_view key) {
  const Node* const node = find(keys, key);
  const Parsed<std::int64_t> value = parse_integer(node != nullptr ? node->text : "", layer_range);
  return value ? value.value() : 0;
}

std::int64_t entries_other_than(const Node& list, std::initializer_list<std::string_view> full) {
  return std::count_if(list.children.begin(), list.children.end(), [&](const Node& item) {
    return std::none_of(full.begin(), full.end(), [&](auto text) { return item.text == text; });
  });
}

/// Layers without full attention by whatever key tells them apart; -1 when none does.
std::int64_t layers_without_attention(const Node& keys, std::int64_t layers) {
  for (const char* const key : {"layer_types", "attn_type_list", "layers_block_type"})
    if (const Node* const list = find(keys, key); list != nullptr && !list->children.empty())
      return entries_other_than(*list, {"full_attention", "attention", "1"});
  if (const Node* const pattern = find(keys, "hybrid_override_pattern"))
    return std::count_if(pattern->text.begin(), pattern->text.end(), [](char c) { return c != '*'; });
  if (const Node* const linear = find(keys, "linear_attn_config"))
    if (const Node* const list = find(*linear, "kda_layers")) return std::ssize(list->children);
  for (const char* const key : {"full_attention_interval", "attn_layer_period", "layer_group_size"})
    if (const std::int64_t every = number(keys, key); every > 0) return layers - layers / every;
  return -1;
}

}  // namespace

std::span<const HfRefused> hf_refused() {
  return refused;
}

std::optional<std::string> refusal_reason(std::string_view name, const Node& keys) {
  const auto row = std::find_if(refused.begin(), refused.end(), [&](const HfRefused& candidate) {
    return candidate.model_type == name || candidate.architecture == name;
  });
  if (row == refused.end()) return {};
  if (!row->of_layers) return fmt::format("it has {}, which is not modelled", row->mechanism);
  std::int64_t layers = 0;
  for (const std::string_view key : hf_keys::layers) layers = std::max(layers, number(keys, key));
  const std::int64_t without = layers_without_attention(keys, layers);
  if (without == 0) return fmt::format("no layer here is {}, but the family is not modelled", row->mechanism);
  if (layers == 0 || without < 0)
    return fmt::format("its layers are {}: its cost is not modelled", row->mechanism);
  return fmt::format("{} of {} layers are {}: its cost is not modelled", without, layers, row->mechanism);
}

}  // namespace bta
