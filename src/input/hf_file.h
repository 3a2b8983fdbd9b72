// A config.json as the reading functions see it, and the functions, one for every part of a model.
// Each reads its keys, and says in the notes what it derived or left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/hf_families.h"
#include "input/hf_keys.h"
#include "input/reader.h"
#include "model/model.h"

namespace bta {

struct HfFile {
  const Node& keys;  // of the language model, in one map
  const HfFamily& family;
  Reader& reader;
  std::vector<std::string>& notes;
  const Node* wrapper = nullptr;  // the file around text_config

  /// The one in use, else one that is null, else the first.
  std::string_view spelling(const Spellings& spellings) const;
  /// Not even null: the family's code has a value of its own for it.
  bool absent(std::string_view key) const { return find(keys, key) == nullptr; }
  /// Once, however many parts read the key.
  void note(const std::string& text) const;
  /// An absent key is the family's default, noted as the rule says; null is off.
  bool is_on(const HfSwitch& rule) const;
  /// key, or `otherwise` with a note when the key is absent.
  std::int64_t integer_or(std::string_view key, IntegerRange range, std::int64_t otherwise) const;
};

/// The family that `architectures` and `model_type` agree on, or nullptr with the reason in the log.
const HfFamily* identify_family(const Node& root, const Node* nested, std::vector<std::string>& notes,
                                ReadLog& log);

/// Of every layer. `hidden` absent: something is wrong with it, and reported.
std::vector<Attention> read_attentions(const HfFile& file, std::optional<std::int64_t> hidden,
                                       std::int64_t layers);
LatentAttention read_latent_attention(const HfFile& file);
std::vector<FeedForward> read_feed_forwards(const HfFile& file, std::optional<std::int64_t> hidden,
                                            std::int64_t layers);

/// Absent for a layer that sees every key.
using Windows = std::vector<std::optional<Window>>;
/// `rotary`: the layers with rotary positions.
Windows read_windows(const HfFile& file, const std::vector<bool>& rotary);

/// Which layers the schedule of the family makes MoE layers.
std::vector<bool> read_moe_layers(const HfFile& file, std::int64_t layers);

/// A list with an entry for every layer, of 0 and 1. Wrong (and reported): every layer is 1.
std::vector<bool> read_flags(const HfFile& file, std::string_view key, std::int64_t layers);

/// MTP and vision: counted where their weights are known, else noted.
void read_parts_beside(const HfFile& file, const Node& root, Model& model);

/// Refuses what the file holds beyond the keys that were read and that would change the arithmetic:
/// unknown activations, values that a family does not have, and every active key whose name hints at a
/// mechanism.
void refuse_unknown_mechanisms(const HfFile& file, std::size_t layers);

/// Does the name of a key say that it adds parameters or operations?
bool hints_at_mechanism(std::string_view key);

/// null, false, zero, and empty text, lists and maps switch nothing on.
bool is_active(const Node& node);

}  // namespace bta
