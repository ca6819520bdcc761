#include "rewriter/emit/standalone.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "cudamat/code/headers.hpp"

namespace rewriter::standalone {

/// In the order in which a C++ program has their text.
std::span<const cudamat::code::Header> headers();

}  // namespace rewriter::standalone

namespace rewriter::standalone_cuda {

/// The same of a CUDA program.
std::span<const cudamat::code::Header> headers();

}  // namespace rewriter::standalone_cuda

namespace rewriter::emit {

namespace {

/// What the text of a header is called in a program.
constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
    {"cudamat::functors::", "cm::"},
    {"functors::", ""},
    {"cudamat::", "cm::"},
    {"npmat::", "cm::"},
    {"rewriter::", "cm::"},
    {"std::bit_cast", "cm::bit_cast"},
    {"std::bit_floor", "cm::bit_floor"},
    {"std::bit_width", "cm::bit_width"},
    {"state_.cusolver_handle()", "cusolver_handle()"},
    {"Engine<T>::", ""},
};

/// The same in CUDA programs. Kernels may not call constexpr functions of the host.
constexpr std::pair<std::string_view, std::string_view> kRenamedInKernels[] = {
    {"CUDAMAT_HD ", "__host__ __device__ "},
    {"std::numeric_limits<T>::infinity()", "T(INFINITY)"},
    {"std::numeric_limits<T>::quiet_NaN()", "T(NAN)"},
};

std::string namespace_in_program(std::string_view name) {
  if (name == "cudamat::functors") return "cm";
  const std::size_t end = name.find("::");
  return "cm" + std::string(end == name.npos ? "" : name.substr(end));
}

std::string renamed(std::string text, Machine machine) {
  std::vector<std::pair<std::string_view, std::string_view>> all(std::begin(kRenamed),
                                                                 std::end(kRenamed));
  if (machine == Machine::Gpu)
    all.insert(all.end(), std::begin(kRenamedInKernels), std::end(kRenamedInKernels));
  else
    all.emplace_back("CUDAMAT_HD ", "");
  for (const auto& [from, to] : all)
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
      const char before = at == 0 ? ' ' : text[at - 1];
      const bool whole = std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '_';
      if (whole)
        text.replace(at, from.size(), to);
      else
        ++at;
    }
  return text;
}

// ---- the words of a text ----

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// A name that a text uses, with what stands before `::`.
struct Use {
  std::string name;  ///< "cm::exp_log::exp"
  bool is_call = false;
  auto operator<=>(const Use&) const = default;
};

/// What the words use: no members, and nothing of std.
std::set<Use> uses(const std::vector<std::string_view>& words) {
  std::set<Use> all;
  std::string space;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view before = i > 0 ? words[i - 1] : "";
    const std::string_view next = i + 1 < words.size() ? words[i + 1] : "";
    const bool member = before == "." || (before == ">" && i > 1 && words[i - 2] == "-");
    if (!starts_word(words[i][0]) || member) {
      if (words[i] != ":") space.clear();
      continue;
    }
    const bool qualifies = next == ":" && i + 2 < words.size() && words[i + 2] == ":";
    space.append(words[i]);
    const bool named = next == "(" || next == "<" || next == "{";
    const bool is_using = next == ";" && space.find(':') != space.npos;
    if (!space.starts_with("std") && before != "struct") all.insert({space, named || is_using});
    if (qualifies)
      space += "::";
    else
      space.clear();
  }
  return all;
}

// ---- pieces of headers ----

/// Declarations without a blank line between them.
struct Piece {
  std::string in;  ///< the namespace
  std::string text;
  std::map<std::string, bool> declares;  ///< names, and whether they are functions
  std::set<Use> uses;
  std::size_t header = 0;
};

struct HeaderPieces {
  std::vector<Piece> pieces;
  std::vector<std::vector<std::string>> includes;  ///< by header
};

/// The place after what is in parentheses there.
std::size_t after_parentheses(const std::vector<std::string_view>& words, std::size_t at) {
  int depth = 0;
  do {
    depth += words[at] == "(" ? 1 : words[at] == ")" ? -1 : 0;
    ++at;
  } while (depth > 0 && at < words.size());
  return at;
}

/// The names that the piece declares in its namespace.
std::map<std::string, bool> declared(const std::vector<std::string_view>& words) {
  static const std::set<std::string_view> kTypes{"struct", "class", "using", "enum", "define"};
  static const std::set<std::string_view> kAfterName{"(", "=", "[", ";", "{"};
  std::map<std::string, bool> names;
  const auto has = [&](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const bool in_c = has("extern"), is_kernel = has("__global__");  // whose name alone is used
  int depth = 0, angles = 0;
  bool found = false;  // the name of this declaration
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i], next = i + 1 < words.size() ? words[i + 1] : "";
    const bool is_name = starts_word(word[0]);
    if (angles > 0 || (word == "template" && next == "<")) {
      angles += word == "<" ? 1 : word == ">" ? -1 : word == "template" ? 1 : 0;
      if (word == "template") ++i;
      continue;
    }
    if (word == "__launch_bounds__") {
      i = after_parentheses(words, i + 1) - 1;
      continue;
    }
    if (word == "{" || word == "(" || word == "[") ++depth;
    if (word == "}" || word == ")" || word == "]") --depth;
    if (depth == 0 && (word == "}" || word == ";")) found = false;
    if (in_c && is_name && next == "(") names.emplace(word, true);
    if (depth != 0 || found || !is_name) continue;
    if (kTypes.contains(word)) {
      std::size_t at = i + (next == "class" ? 2 : 1);
      if (next == "alignas") at = after_parentheses(words, at + 1);
      if (word == "using")  // using A::b;
        while (at + 1 < words.size() && words[at + 1] == ":") at += 3;
      if (at < words.size()) names.emplace(words[at], false);
      found = word != "define";
    } else if (word != "__attribute__" && kAfterName.contains(next)) {
      names.emplace(word, next == "(" && !is_kernel);
      found = true;
    }
  }
  return names;
}

/// Cuts the text of a header into pieces.
class Cutter {
 public:
  Cutter(HeaderPieces& all, std::string_view text, Machine machine)
      : all_(all), rest_(text), machine_(machine) {
    all_.includes.emplace_back();
    while (!rest_.empty()) line();
    finish();
  }

 private:
  void line() {
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
    if (line == "#pragma once") {
      piece_.clear();  // the comment of the file
    } else if (line.starts_with("#include")) {
      if (line.find('<') != line.npos) all_.includes.back().emplace_back(line.substr(9));
    } else if (line.starts_with("namespace ") && line.ends_with("{")) {
      finish();
      spaces_.emplace_back(line == "namespace {" ? "" : line.substr(10, line.size() - 12));
    } else if (line.starts_with("}  // namespace")) {
      finish();
      spaces_.pop_back();
    } else if (line.empty() && braces_ == 0 && conditions_ == 0) {
      finish();
    } else if (!line.starts_with("#undef")) {
      for (const char c : line) braces_ += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (line.starts_with("#if")) ++conditions_;
      if (line.starts_with("#endif")) --conditions_;
      piece_.append(line) += '\n';
    }
  }

  /// Instantiations, which are of types that a program does not have.
  bool instantiates() const {
    return piece_.starts_with("template ") ? !piece_.starts_with("template <")
                                           : piece_.starts_with("#define INSTANTIATE");
  }

  void finish() {
    if (!piece_.empty() && !instantiates()) {
      Piece made;
      std::string space;
      for (const std::string& name : spaces_)
        space += (space.empty() || name.empty() ? "" : "::") + name;
      made.in = namespace_in_program(space);
      made.text = renamed(std::exchange(piece_, {}), machine_);
      const std::vector<std::string_view> words = tokens(made.text);
      made.declares = declared(words);
      made.uses = uses(words);
      made.header = all_.includes.size() - 1;
      all_.pieces.push_back(std::move(made));
    }
    piece_.clear();
  }

  HeaderPieces& all_;
  std::string_view rest_;
  const Machine machine_;
  std::string piece_;
  std::vector<std::string> spaces_;
  int braces_ = 0, conditions_ = 0;
};

HeaderPieces pieces_of(std::span<const cudamat::code::Header> headers, Machine machine) {
  HeaderPieces made;
  for (const cudamat::code::Header& header : headers) Cutter(made, header.text, machine);
  return made;
}

const HeaderPieces& header_pieces(Machine machine) {
  if (machine == Machine::Gpu) {
    static const HeaderPieces all = pieces_of(standalone_cuda::headers(), machine);
    return all;
  }
  static const HeaderPieces all = pieces_of(standalone::headers(), machine);
  return all;
}

}  // namespace

std::vector<std::string_view> tokens(std::string_view text) {
  std::vector<std::string_view> all;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (text[at] == '"' || (text[at] == '\'' && (at == 0 || !is_in_word(text[at - 1])))) {
      while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2 : 1;
      at = end + 1;
      continue;
    }
    if (is_in_word(text[at]))
      while (end < text.size() && is_in_word(text[end])) ++end;
    if (std::isspace(static_cast<unsigned char>(text[at])) == 0)
      all.push_back(text.substr(at, end - at));
    at = end;
  }
  return all;
}

StandaloneText standalone_text(std::string_view program, Machine machine) {
  const HeaderPieces& all = header_pieces(machine);
  std::multimap<std::string, std::size_t> declaring;
  for (std::size_t p = 0; p < all.pieces.size(); ++p)
    for (const auto& [name, is_function] : all.pieces[p].declares)
      declaring.emplace((all.pieces[p].in.empty() ? "" : all.pieces[p].in + "::") + name, p);

  std::vector<bool> kept(all.pieces.size(), false);
  std::vector<std::pair<std::string, Use>> wanted;  // in which namespace
  for (const Use& use : uses(tokens(program))) wanted.emplace_back("", use);
  const auto keep = [&](const std::string& name, bool is_call) {
    const auto [first, last] = declaring.equal_range(name);
    for (auto it = first; it != last; ++it) {
      const Piece& piece = all.pieces[it->second];
      const bool is_function = piece.declares.at(name.substr(name.rfind(':') + 1));
      if (kept[it->second] || (is_function && !is_call)) continue;
      kept[it->second] = true;
      for (const Use& use : piece.uses) wanted.emplace_back(piece.in, use);
    }
  };
  while (!wanted.empty()) {
    auto [space, use] = std::move(wanted.back());
    wanted.pop_back();
    for (;; space.resize(space.rfind("::") == space.npos ? 0 : space.rfind("::"))) {
      keep((space.empty() ? "" : space + "::") + use.name, use.is_call);
      if (space.empty()) break;
    }
  }

  StandaloneText result;
  std::set<std::string> includes;
  std::string space;
  for (std::size_t p = 0; p < all.pieces.size(); ++p) {
    const Piece& piece = all.pieces[p];
    if (!kept[p] || piece.declares.contains("T")) continue;
    includes.insert(all.includes[piece.header].begin(), all.includes[piece.header].end());
    if (piece.in != space) {
      if (!space.empty()) result.text += "\n}  // namespace " + space + "\n";
      space = piece.in;
      if (!space.empty()) result.text += "\nnamespace " + space + " {\n";
    }
    result.text += "\n" + piece.text;
  }
  if (!space.empty()) result.text += "\n}  // namespace " + space + "\n";
  includes.erase("<bit>");  // of C++20
  includes.erase("<concepts>");
  result.includes.assign(includes.begin(), includes.end());
  return result;
}

}  // namespace rewriter::emit
