#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "base/characters.h"
#include "input/document.h"
#include "input/quoted.h"
#include "input/tree_builder.h"

namespace bta {
namespace {

int characters(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(text, std::not_fn(continues_character)));
}

/// Places of yaml-cpp's marks, which count lines and bytes of a line from 0. Marks mostly move forward,
/// so that only what lies behind the last one is counted.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {}

  Position operator()(const YAML::Mark& mark) {
    if (mark.is_null()) return {};
    const std::size_t offset = std::min(static_cast<std::size_t>(mark.pos), text_.size());
    if (mark.line != line_ || offset < offset_) {
      line_ = mark.line;
      offset_ = offset - std::min(offset, static_cast<std::size_t>(mark.column));
      column_ = 1;
    }
    column_ += characters(text_.substr(offset_, offset - offset_));
    offset_ = offset;
    return {line_ + 1, column_};
  }

 private:
  std::string_view text_;
  int line_ = -1;
  std::size_t offset_ = 0;
  int column_ = 1;
};

/// yaml-cpp takes the end of the text for a closing quote when white space stands before it.
bool is_closed(std::string_view scalar) {
  const char quote = scalar.empty() ? ' ' : scalar.front();
  if (quote != '"' && quote != '\'') return true;
  for (std::size_t i = 1; i < scalar.size(); ++i) {
    const bool doubled = quote == '\'' && scalar.substr(i).starts_with("''");
    const bool escaped = quote == '"' && scalar[i] == '\\';
    if (doubled || escaped) {
      ++i;
    } else if (scalar[i] == quote) {
      return true;
    }
  }
  return false;
}

class TreeHandler : public YAML::EventHandler {
 public:
  explicit TreeHandler(std::string_view text) : text_(text), places_(text) {}
  Document take_document(const std::string& file) { return builder_.take_document(file); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  // called before the value's own event when it carries &name
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    refuse(mark, fmt::format("anchor {} is not supported; write the value where it is needed",
                             in_quotes("&" + name)));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "aliases (*name) are not supported; write the value where it is needed");
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { builder_.null(places_(mark)); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    refuse_tag(mark, tag);
    const bool is_quoted = tag == "!";
    if (is_quoted && !is_closed(written_at(mark))) refuse(mark, "the quote that opens here is never closed");
    if (builder_.expects_key() && value == "<<" && !is_quoted) {
      refuse(mark, "merge keys (<<) are not supported; write the keys where they are needed");
    }
    builder_.scalar(places_(mark), value, is_quoted);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    builder_.open(Node::Kind::sequence, places_(mark));
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    builder_.open(Node::Kind::map, places_(mark));
  }
  void OnSequenceEnd() override { builder_.close(); }
  void OnMapEnd() override { builder_.close(); }

 protected:
  [[noreturn]] void refuse(const YAML::Mark& mark, std::string message) {
    throw Refusal{places_(mark), builder_.path(), std::move(message)};
  }

 private:
  std::string_view written_at(const YAML::Mark& mark) const {
    return text_.substr(std::min(static_cast<std::size_t>(mark.pos), text_.size()));
  }
  /// "?" marks a plain value and "!" a quoted one; anything else was written by the user.
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    const bool from_parser = tag.empty() || tag == "?" || tag == "!";
    if (from_parser && !written_at(mark).starts_with("!")) return;
    refuse(mark, fmt::format("tag {} is not supported; write the value without a tag", in_quotes(tag)));
  }

  std::string_view text_;
  Places places_;
  TreeBuilder builder_;
};

/// Any event of a second document is one too many.
class NoMoreDocuments : public TreeHandler {
 public:
  using TreeHandler::TreeHandler;
  void OnDocumentStart(const YAML::Mark& mark) override {
    refuse(mark, "a second document begins here; a file holds one description");
  }
};

/// YAML has none but tab and line ends; yaml-cpp takes EOT for the end of the text.
void refuse_control_characters(std::string_view text) {
  const auto refused = [](char c) { return is_control(c) && c != '\t' && c != '\n' && c != '\r'; };
  const auto* const found = std::ranges::find_if(text, refused);
  if (found == text.end()) return;
  const std::string_view before = text.substr(0, static_cast<std::size_t>(found - text.begin()));
  const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  const int column = characters(before.substr(before.rfind('\n') + 1));
  throw Refusal{{line + 1, column + 1}, "", fmt::format("control character 0x{:02X} is not YAML", *found)};
}

/// yaml-cpp takes in a flow list or map whole before the first event of it, at over 200 bytes a token: a
/// flood is refused first.
void refuse_flow_flood(std::string_view text) {
  const auto is_flow = [](char c) { return c == '[' || c == '{' || c == ','; };
  if (std::count_if(text.begin(), text.end(), is_flow) <= std::ptrdiff_t{TreeBuilder::most_values}) return;
  throw Refusal{
      {}, "", fmt::format("the document holds more than {} brackets and commas", TreeBuilder::most_values)};
}

Document read_document(std::string_view text, const std::string& file) {
  refuse_control_characters(text);
  refuse_flow_flood(text);
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  TreeHandler handler(text);
  if (!parser.HandleNextDocument(handler)) return {};
  NoMoreDocuments nothing(text);
  parser.HandleNextDocument(nothing);
  return handler.take_document(file);
}

}  // namespace

Result<Document> parse_yaml(std::string_view text, const std::string& file) {
  try {
    return read_document(text, file);
  } catch (const Refusal& refusal) {
    return Diagnostics{refusal.in(file)};
  } catch (const YAML::Exception& error) {
    return Diagnostics{
        Refusal{Places(text)(error.mark), "", "this is not valid YAML: " + error.msg}.in(file)};
  } catch (const std::exception& error) {
    return Diagnostics{{file, 0, 0, "", fmt::format("this is not valid YAML: {}", error.what())}};
  }
}

}  // namespace bta
