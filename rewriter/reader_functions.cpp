#include "rewriter/reader_functions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rewriter/reader_table.hpp"

namespace rewriter {

using cudamat::misuse;

namespace {

// ---- Python's own ----

Value builtin_len(const Call& call) {
  const Value& x = *call.bind({"x"}, 1)[0];
  if (const auto* sequence = x.as<Sequence>())
    return {static_cast<std::int64_t>(sequence->items.size())};
  const auto* object = x.as<ObjectPtr>();
  if (object == nullptr || (*object)->shape().empty())
    misuse("len", "{} has no length", x.description());
  return {(*object)->shape()[0]};
}

Value builtin_number(const Call& call) {
  const Value& x = *call.bind({"x"}, 1)[0];
  if (!x.is_number())
    misuse(call.name, "wants a number known when the program is read; got {}", x.description());
  if (call.name == "float") return {x.real()};
  if (!x.is_real()) return {x.integer("")};
  const double whole = std::trunc(x.real());
  if (!(std::abs(whole) < 9.2e18)) misuse("int", "{} does not fit 64 bits", x.real());
  return {static_cast<std::int64_t>(whole)};
}

/// max and min of Python numbers, given one by one or in one tuple.
Value builtin_extreme(const Call& call) {
  const auto* sequence = call.arguments.size() == 1 ? call.arguments[0].as<Sequence>() : nullptr;
  const std::vector<Value>& items = sequence != nullptr ? sequence->items : call.arguments;
  for (const Value& item : items)
    if (!item.is_number())
      misuse(call.name, "is for Python numbers; np.{0} or np.{0}imum does it for arrays; got {1}",
             call.name, item.description());
  if (!call.keywords.empty())
    misuse(call.name, "got an unexpected keyword argument '{}'", call.keywords[0].first);
  if (sequence == nullptr && items.size() < 2)
    misuse(call.name, "wants two numbers or more, or a tuple of them");
  if (items.empty()) misuse(call.name, "arg is an empty sequence");
  const auto less = [](const Value& a, const Value& b) {
    return *number_arithmetic(ast::Operator::Less, a, b).as<bool>();
  };
  Value result = items[0];
  for (const Value& item : items)
    if (call.name == "max" ? less(result, item) : less(item, result)) result = item;
  return result;
}

// ---- the table ----

const Table& table() {
  static const Table instance = [] {
    Table all;
    enter_elementwise(all);
    enter_reductions(all);
    enter_making(all);
    enter_moving(all);
    enter(all, "abs", all.at("np.abs"));
    enter(all, "len", builtin_len);
    enter(all, "max min", builtin_extreme);
    enter(all, "float int np.float64 np.float32", builtin_number);
    return all;
  }();
  return instance;
}

/// What people may reach for, and what to write here.
struct Instead {
  std::string_view name;
  std::string_view advice;
};
constexpr Instead kInstead[] = {
    {"np.arange", "write the numbers out with np.array([...])"},
    {"np.linspace", "write the numbers out with np.array([...])"},
    {"np.hstack", "np.concatenate(arrays, axis=1) does it for matrices, axis=0 for vectors"},
    {"np.vstack", "np.concatenate(arrays, axis=0) does it for matrices"},
    {"np.stack", "np.concatenate does it, after None has made the new axis"},
    {"np.empty", "np.zeros makes an array with a value"},
    {"np.empty_like", "np.zeros_like makes an array with a value"},
    {"np.expand_dims", "x[:, None] or x[None] makes the axis"},
    {"np.squeeze", "x[0] or x[:, 0] drops the axis"},
    {"np.all", "np.min of a comparison does it"},
    {"np.any", "np.max of a comparison does it"},
    {".all", "the .min() of a comparison does it"},
    {".any", "the .max() of a comparison does it"},
    {"bool", "a comparison gives truth values: x != 0"},
    {"np.cumsum", "np.dot with a triangular matrix of ones does it"},
    {"np.diag", "a * np.eye(n) keeps the diagonal; np.eye(n) * v makes a matrix of it"},
    {"np.inner", "np.dot does it for vectors"},
    {"np.median", "nothing here sorts"},
    {"np.nansum", "np.sum(np.where(np.isnan(x), 0, x)) does it"},
    {"np.random.binomial", "np.random.rand(rows, cols) < p does it for one trial"},
    {"np.random.normal", "mean + deviation * np.random.randn(rows, cols) does it"},
    {"np.random.uniform", "low + (high - low) * np.random.rand(rows, cols) does it"},
    {"np.sort", "nothing here sorts"},
    {"np.tile", "broadcasting or np.concatenate does it"},
    {"np.trace", "np.sum(a * np.eye(n)) does it"},
    {"np.einsum", "np.dot, .T and * do it"},
    {"np.linalg.inv", "Cudamat solves no equations"},
    {"np.linalg.solve", "Cudamat solves no equations"},
    {".item", "a 0-d array can be used as it is"},
    {".fill", "x[:] = value does it"},
    {"print", "symdump --run shows every output"},
    {"range", "loops are not supported yet"},
    {"sum", "np.sum or the method does it"},
};

/// Levenshtein's distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

void enter(Table& table, std::string_view names, const Handler& handler) {
  while (!names.empty()) {
    const std::size_t space = std::min(names.find(' '), names.size());
    table.emplace(names.substr(0, space), handler);
    names.remove_prefix(std::min(space + 1, names.size()));
  }
}

std::string_view module_prefix(std::string_view module) {
  if (module == "numpy") return "np.";
  if (module == "numpy.random") return "np.random.";
  if (module == "numpy.linalg") return "np.linalg.";
  if (module == "gnumpy") return "gpu.";
  return "";
}

bool is_function(std::string_view name) {
  return table().find(name) != table().end();
}

std::string_view advice(std::string_view name) {
  for (const Instead& instead : kInstead)
    if (instead.name == name) return instead.advice;
  return "";
}

std::string unknown_function(std::string_view name) {
  std::string text = fmt::format("{} is not in the notation", name);
  if (!advice(name).empty()) return fmt::format("{}; {}", text, advice(name));
  std::string_view nearest;
  std::size_t best = name.size() / 3 + 1;
  for (const auto& [known, handler] : table()) {
    if (name.size() > known.size() + best || known.size() > name.size() + best) continue;
    if (const std::size_t d = distance(name, known); d < best) {
      best = d;
      nearest = known;
    }
  }
  if (!nearest.empty()) text += fmt::format("; did you mean {}?", nearest);
  return text;
}

Value call_function(const Call& call) {
  const auto at = table().find(call.name);
  if (at == table().end()) misuse("call", "{}", unknown_function(call.name));
  return at->second(call);
}

}  // namespace rewriter
