#include "rewriter/reader/table/table.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "rewriter/reader/reader.hpp"
#include "rewriter/reader/table/arguments.hpp"
#include "rewriter/reader/table/parts.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/text/exceptions.hpp"

namespace rewriter {
namespace {

const FunctionTable& table() {
  static const FunctionTable instance = [] {
    FunctionTable all;
    for (const auto enter_part : {enter_numbers,      enter_container_methods,
                                  enter_dict_methods, enter_text_methods,
                                  enter_attributes,   enter_builtins,
                                  enter_math,         enter_functional,
                                  enter_itertools,    enter_texts,
                                  enter_types,        enter_dtypes,
                                  enter_elementwise,  enter_reductions,
                                  enter_making,       enter_known,
                                  enter_moving,       enter_joining,
                                  enter_places,       enter_sets,
                                  enter_order,        enter_quantiles,
                                  enter_heaps,        enter_composed,
                                  enter_contractions, enter_linalg,
                                  enter_complex,      enter_bits,
                                  enter_draws,        enter_library})
      enter_part(all);
    return all;
  }();
  return instance;
}

/// A default, as the parameters write it.
Value standard_of(std::string_view text) {
  if (text == "None") return {};
  if (text == "True" || text == "False") return {text == "True"};
  if (text.starts_with('\'')) return {std::string(text.substr(1, text.size() - 2))};
  const char* const end = text.data() + text.size();
  std::int64_t integer = 0;
  double real = 0;
  if (std::from_chars(text.data(), end, integer).ptr == end) return {integer};
  if (std::from_chars(text.data(), end, real).ptr == end) return {real};
  throw cudamat::InternalError(fmt::format("'{}' is not a default of a parameter", text));
}

/// What the parameters say. The signature of those that take any number of arguments is empty.
void parse_signature(Row& row) {
  constexpr std::size_t kAny = std::string::npos;
  row.positions = row.most = kAny;
  row.takes_keywords = row.topic == Topic::Library;  // whose defs look at their arguments
  if (row.topic == Topic::Library) return;
  bool is_fixed = true;
  std::size_t count = 0;
  std::optional<std::size_t> by_place;
  for (std::string_view rest = row.parameters; !rest.empty();) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    const std::string_view each = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 2, rest.size()));
    const std::size_t equals = std::min(each.find('='), each.size());
    is_fixed = is_fixed && !each.starts_with('[') && (each == "*" || !each.starts_with('*'));
    row.takes_keywords = row.takes_keywords || each.starts_with("**");
    if (each == "*") {
      row.positions = count;
      by_place = by_place.value_or(count);
    } else if (each.starts_with('*')) {
      by_place = by_place.value_or(each.starts_with("**") ? count : kAny);
    } else {
      ++count;
      row.keywords.push_back(each.substr(0, equals));
      if (is_fixed)
        row.signature.push_back({row.keywords.back(), equals < each.size()
                                                          ? standard_of(each.substr(equals + 1))
                                                          : std::optional<Value>()});
    }
  }
  row.most = by_place.value_or(count);
  if (!is_fixed) row.signature.clear();
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return words;
}

std::shared_ptr<const Row> finished(Row row, Topic topic) {
  const auto made = std::make_shared<Row>(std::move(row));
  made->topic = topic;
  parse_signature(*made);
  return made;
}

/// What people may reach for, and what to write here.
struct Instead {
  std::string_view name;
  std::string_view advice;
};
constexpr Instead kInstead[] = {
    {"np.linalg.eig",
     "the eigenvalues of a matrix that is not symmetric are complex; np.linalg.eigh is for "
     "symmetric ones"},
    {"np.linalg.eigvals",
     "the eigenvalues of a matrix that is not symmetric are complex; np.linalg.eigvalsh is for "
     "symmetric ones"},
    {"np.float16", "all floats have the precision of the run; write float"},
    {"np.half", "all floats have the precision of the run; write float"},
};

/// Modules, and what the op table writes before their functions.
constexpr std::pair<std::string_view, std::string_view> kModules[] = {
    {"numpy", "np."},
    {"numpy.random", "np.random."},
    {"numpy.linalg", "np.linalg."},
    {"numpy.fft", "np.fft."},
    {"numpy.lib", "np.lib."},
    {"numpy.lib.stride_tricks", "np.lib.stride_tricks."},
    {"scipy.fft", "np.fft."},
    {"gnumpy", "gpu."},
    {"math", "math."},
    {"itertools", "itertools."},
    {"functools", "functools."},
    {"collections", "collections."},
    {"heapq", "heapq."},
    {"scipy", "scipy."},
    {"scipy.special", "scipy.special."},
    {"scipy.stats", "scipy.stats."},
    {"scipy.stats.norm", "scipy.stats.norm."},
    {"scipy.linalg", "scipy.linalg."},
    {"scipy.signal", "scipy.signal."},
    {"numpy.random.Generator()", "np.random.Generator()."},
    {"numpy.random.RandomState()", "np.random.RandomState()."},
    {"finfo(float64)", "finfo(float64)."},
    {"iinfo(int8)", "iinfo(int8)."},
    {"iinfo(uint8)", "iinfo(uint8)."},
    {"iinfo(int16)", "iinfo(int16)."},
    {"iinfo(uint16)", "iinfo(uint16)."},
    {"iinfo(int32)", "iinfo(int32)."},
    {"iinfo(uint32)", "iinfo(uint32)."},
    {"iinfo(uint64)", "iinfo(uint64)."},
    {"finfo(float32)", "finfo(float32)."},
    {"iinfo(int64)", "iinfo(int64)."},
};

/// Levenshtein's distance, where two neighbours that are swapped count as one change.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = row[j] + (a[i] == b[j] ? 0 : 1);
      next[j + 1] = std::min({next[j] + 1, row[j + 1] + 1, change});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    before = std::exchange(row, next);
  }
  return row[b.size()];
}

/// A name without its module, and the module.
std::pair<std::string_view, std::string_view> split(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::pair{name, std::string_view{}}
                                       : std::pair{name.substr(dot + 1), name.substr(0, dot + 1)};
}

/// The name of the notation, in the same module, that was probably meant; empty if none was.
std::string_view nearest_name(std::string_view name) {
  const auto [word, module] = split(name);
  std::string_view nearest;
  std::size_t best = word.size() > 5 ? 3 : 2;
  for (const auto& [known, row] : table()) {
    const auto [other, its_module] = split(known);
    if (its_module != module || word.size() < 3 || word.size() > other.size() + 2) continue;
    if (const std::size_t d = distance(word, other); d < best) {
      best = d;
      nearest = known;
    }
  }
  return nearest;
}

}  // namespace

void enter(FunctionTable& table, Topic topic, std::vector<Row> rows) {
  for (Row& each : rows) {
    const auto row = finished(std::move(each), topic);
    for (const std::string_view name : words_of(row->names))
      if (!table.emplace(name, row).second)
        throw cudamat::InternalError(fmt::format("{} is entered twice", name));
  }
}

void enter_rest(FunctionTable& table, Topic topic, Row row) {
  std::string names;
  for (const std::string_view name : words_of(row.names))
    if (!table.contains(name)) names += fmt::format("{}{}", names.empty() ? "" : " ", name);
  row.names = names;
  if (!names.empty()) enter(table, topic, {std::move(row)});
}

const Row* row_of(std::string_view name) {
  const auto found = table().find(name);
  return found == table().end() ? nullptr : found->second.get();
}

Value call_as(std::string_view function, Call call) {
  call.row = row_of(function);
  check_arguments(call);
  return call.row->handler(call);
}

std::string_view module_prefix(std::string_view module) {
  for (const auto& [name, prefix] : kModules)
    if (name == module) return prefix;
  return "";
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const auto& [name, row] : table())
    if (!row->has(kIsAttribute)) names.push_back(name);
  return names;
}

bool is_function(std::string_view name) {
  const Row* const row = row_of(name);
  return row != nullptr && !row->has(kIsAttribute);
}

std::string function_list() {
  constexpr std::string_view kTopics[] = {"Element-wise functions",
                                          "Reductions",
                                          "Creation",
                                          "Shapes, joining and moving",
                                          "Attributes of arrays",
                                          "Products",
                                          "Sorting, counting, quantiles and sets",
                                          "Taking and writing elements, and indices",
                                          "Linear algebra",
                                          "Random numbers",
                                          "Types",
                                          "Methods of lists, dictionaries, sets and strings",
                                          "Python's functions and modules",
                                          "Functions of the library"};
  std::map<Topic, std::map<std::string, const Row*>> topics;
  for (const auto& [name, row] : table())
    if (!name.ends_with(')')) topics[row->topic].emplace(row->names, row.get());
  std::string text;
  for (const auto& [topic, rows] : topics) {
    text += fmt::format("# {}\n", kTopics[static_cast<std::size_t>(topic)]);
    for (const auto& [names, row] : rows)
      text += fmt::format("{}: {}\n", names,
                          row->has(kIsIndexed)     ? "[...]"
                          : row->has(kIsAttribute) ? "an attribute"
                                                   : row->parameters);
  }
  return text;
}

std::string_view advice(std::string_view name) {
  for (const Instead& instead : kInstead)
    if (instead.name == name) return instead.advice;
  return "";
}

std::string unknown_function(std::string_view name) {
  std::string text = fmt::format("{} is not supported", name);
  if (!advice(name).empty()) return fmt::format("{}; {}", text, advice(name));
  if (is_known_elsewhere(name)) return text;
  const std::string_view nearest = nearest_name(name);
  if (!nearest.empty()) text += fmt::format("; did you mean {}?", nearest);
  return text;
}

void refuse_function(std::string_view operation, std::string_view name) {
  std::string_view last = name;
  for (const std::string_view prefix : {"np.linalg.", "np.random.", "np.", "."})
    if (name.starts_with(prefix) && last == name) last.remove_prefix(prefix.size());
  const bool is_numpys = last != name && last.find('.') == std::string_view::npos;
  const bool has_none = is_numpys && advice(name).empty() && !is_known_elsewhere(name);
  misuse(has_none ? Exception::AttributeError : Exception::None, operation, "{}",
         unknown_function(name));
}

}  // namespace rewriter
