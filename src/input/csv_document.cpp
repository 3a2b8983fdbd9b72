#include <csv.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/characters.h"
#include "input/document.h"
#include "input/quoted.h"
#include "input/tree_builder.h"

namespace bta {
namespace {

constexpr std::size_t most_cells = 1'000'000;
constexpr std::size_t most_problems = 10;  // one wrong separator makes every row wrong

struct Cell {
  std::string text;
  Position at;
};
using Row = std::vector<Cell>;

/// Rows over libcsv, which neither says where a cell stands nor knows comments: it gets the text byte
/// by byte, so that the place of every cell and the beginning of every row are known.
class RowReader {
 public:
  explicit RowReader(std::string_view text) : text_(text) {
    if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0)
      throw Refusal{{}, "", "there is no memory to read it"};
  }
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;
  RowReader(RowReader&&) = delete;
  RowReader& operator=(RowReader&&) = delete;
  ~RowReader() { csv_free(&parser_); }

  /// The next row that holds anything; empty at the end of the text.
  Row next() {
    row_.clear();
    row_ended_ = false;
    while (!row_ended_ && offset_ < text_.size()) step();
    if (!row_ended_) finish();
    return std::move(row_);
  }

 private:
  void step() {
    const char c = text_[offset_];
    if (!in_cell_) cell_at_ = here_;
    if (c == '#' && here_.column == 1 && !in_cell_) return skip_line();
    if (std::string_view(" \t,\r\n").find(c) == std::string_view::npos) in_cell_ = true;
    if (csv_parse(&parser_, &c, 1, on_cell, on_row, this) != 1) refuse();
    advance();
  }
  void finish() {
    if (!in_cell_) cell_at_ = here_;
    if (csv_fini(&parser_, on_cell, on_row, this) != 0)
      throw Refusal{cell_at_, "", "a quoted cell is never closed; write its closing quote"};
  }
  [[noreturn]] void refuse() const {
    throw Refusal{here_, "",
                  parser_.quoted != 0
                      ? "text stands behind the closing quote of a cell; write a quote inside a cell twice"
                      : "a quote stands inside a cell; put the cell in quotes and write this quote twice"};
  }

  void skip_line() {
    while (offset_ < text_.size() && !breaks_line()) advance();
    if (offset_ < text_.size()) advance();
  }
  bool breaks_line() const {
    const bool before_line_feed = text_.substr(offset_).starts_with("\r\n");
    return text_[offset_] == '\n' || (text_[offset_] == '\r' && !before_line_feed);
  }
  void advance() {
    if (breaks_line()) {
      here_ = {here_.line + 1, 1};
    } else if (!continues_character(text_[offset_])) {
      ++here_.column;
    }
    ++offset_;
  }

  static void on_cell(void* text, std::size_t size, void* reader) {
    RowReader& self = *static_cast<RowReader*>(reader);
    self.row_.push_back({std::string(static_cast<const char*>(text), size), self.cell_at_});
    self.in_cell_ = false;
  }
  static void on_row(int, void* reader) { static_cast<RowReader*>(reader)->row_ended_ = true; }

  csv_parser parser_{};
  std::string_view text_;
  std::size_t offset_ = 0;
  Position here_{1, 1};
  Position cell_at_;
  bool in_cell_ = false;
  bool row_ended_ = false;
  Row row_;
};

void refuse_other_separators(const Row& header) {
  if (header.size() != 1) return;
  const std::string& name = header.front().text;
  for (const auto& [separator, called] : {std::pair{';', "semicolons"}, std::pair{'\t', "tabs"}}) {
    if (name.find(separator) == std::string::npos) continue;
    throw Refusal{header.front().at, "",
                  fmt::format("{} is a single column: commas are needed between columns, not {}",
                              in_quotes(name), called)};
  }
}

void check_name(const Row& header, std::size_t column) {
  const Cell& cell = header[column];
  if (cell.text.empty())
    throw Refusal{cell.at, "",
                  fmt::format("column {} has no name; the first row must name every column", column + 1)};
  const auto first =
      std::find_if(header.begin(), header.end(), [&](const Cell& other) { return other.text == cell.text; });
  if (first->at != cell.at)
    throw Refusal{cell.at, on_one_line(cell.text),
                  fmt::format("column {} stands twice, as column {} and as column {}; keep one of them",
                              in_quotes(cell.text), first - header.begin() + 1, column + 1)};
}

void check_header(const Row& header) {
  if (header.empty())
    throw Refusal{{1, 1}, "", "there is nothing in this file; its first row must name the columns"};
  refuse_other_separators(header);
  for (std::size_t column = 0; column < header.size(); ++column) check_name(header, column);
}

Refusal wrong_width(const Row& header, const Row& row) {
  const bool few = row.size() < header.size();
  return {row.front().at, "",
          fmt::format(
              "{} cell{} where the header has {} column{}; {}", row.size(), row.size() == 1 ? "" : "s",
              header.size(), header.size() == 1 ? "" : "s",
              few ? "write the missing ones, empty if need be" : "put a cell that holds a comma in quotes")};
}

Node make_map(const Row& header, Row row) {
  Node map;
  map.kind = Node::Kind::map;
  map.at = row.front().at;
  for (std::size_t column = 0; column < header.size(); ++column) {
    Node child;
    child.kind = row[column].text.empty() ? Node::Kind::null : Node::Kind::scalar;
    child.text = std::move(row[column].text);
    child.at = row[column].at;
    child.key = header[column].text;
    child.key_at = header[column].at;
    map.children.push_back(std::move(child));
  }
  return map;
}

Result<Document> read_table(RowReader& rows, const std::string& file) {
  const Row header = rows.next();
  check_header(header);
  Node table;
  table.kind = Node::Kind::sequence;
  table.at = header.front().at;
  Diagnostics problems;
  for (Row row = rows.next(); !row.empty() && problems.size() < most_problems; row = rows.next()) {
    if ((table.children.size() + 1) * header.size() > most_cells)
      throw Refusal{row.front().at, "", fmt::format("the table holds more than {} cells", most_cells)};
    if (row.size() == header.size()) {
      table.children.push_back(make_map(header, std::move(row)));
    } else {
      problems.push_back(wrong_width(header, row).in(file));
    }
  }
  if (!problems.empty()) return problems;
  return Document{std::move(table), {}};
}

}  // namespace

Result<Document> parse_csv(std::string_view text, const std::string& file) {
  try {
    RowReader rows(text);
    return read_table(rows, file);
  } catch (const Refusal& refusal) {
    return Diagnostics{refusal.in(file)};
  }
}

}  // namespace bta
