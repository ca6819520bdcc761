// Runs programs of garrays that tests/differential/gnumpy_test.py writes, and prints what they
// give.
//
//   gnumpy_script < programs > values
//
// A program is a line each of
//   input NAME DIM... : NUMBER...
//   new NAME EXPR           garray name(EXPR): an expression is not computed yet
//   let NAME EXPR           name = EXPR
//   set TARGET EXPR         a subscript or a reshape is assigned to
//   += TARGET EXPR          and -= *= /= %=; TARGET may be a name, too
//   settle NAME
//   end                     prints all names and forgets them
// where EXPR is a number, a name, or (function EXPR...), a temporary; (at EXPR SUBSCRIPT...) has
// 1, 0:4:2, ..., new and {2,0} as subscripts, and a shape is a list: (reshape x [2,-1]). The
// functions of gnumpy_script_functions.hpp have options first: (f:sum axis=[0,2];keepdims=1 x).
// After a line with (move NAME) there is no NAME.
//
// Each line gives a line "ok", or "error" and the message; `end` gives "NAME DIM..." and the
// elements as they are in memory for every name, and "end".
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gnumpy/gnumpy.hpp"

#include "gnumpy_script_functions.hpp"
#include "gnumpy_script_text.hpp"

namespace gpu = gnumpy;
using gnumpy_script::axis_of;
using gnumpy_script::Expr;
using gnumpy_script::numbers_of;
using gnumpy_script::parse;
using gnumpy_script::subscript_of;
using gnumpy_script::Value;
using gpu::Dims;
using gpu::garray;
using gpu::Index;
using gpu::operand;

namespace {

using Unary = garray (*)(operand);
using Binary = garray (*)(operand, operand);
using Reduction = garray (*)(operand, const gpu::Axes&, gpu::Keep);

garray negated(operand a) {
  return -std::move(a);
}
garray logical_not(operand a) {
  return !garray(std::move(a.node));
}
garray all(operand a, const gpu::Axes& axes, gpu::Keep keep) {
  return gpu::all(std::move(a), axes, keep);
}
garray deviation(operand a, const gpu::Axes& axes, gpu::Keep keep) {
  return gpu::std(std::move(a), axes, keep);
}
template <gpu::garray (*f)(operand, std::optional<int>, gpu::Keep)>
garray over_axis(operand a, const gpu::Axes& axes, gpu::Keep keep) {
  return f(std::move(a), axes.are_all() ? std::nullopt : std::optional(axes.list()[0]), keep);
}

const std::map<std::string, Unary> kUnary{
    {"neg", negated},
    {"not", logical_not},
    {"abs", gpu::abs},
    {"exp", gpu::exp},
    {"log", gpu::log},
    {"log2", gpu::log2},
    {"log10", gpu::log10},
    {"log_1_plus_exp", gpu::log_1_plus_exp},
    {"sqrt", gpu::sqrt},
    {"logistic", gpu::logistic},
    {"sign", gpu::sign},
    {"sin", gpu::sin},
    {"cos", gpu::cos},
    {"tanh", gpu::tanh},
    {"isnan", gpu::isnan},
    {"negative", gpu::negative},
    {"isinf", gpu::isinf},
    {"isreal", gpu::isreal},
    {"isnumber", gpu::isnumber},
    {"floor", gpu::floor},
    {"ceil", gpu::ceil},
    {"rint", gpu::rint},
    {"trunc", gpu::trunc},
    {"square", gpu::square},
    {"log1p", gpu::log1p},
    {"expm1", gpu::expm1},
};
// clang-format off
const std::map<std::string, Binary> kBinary{
    {"add", gpu::operator+}, {"sub", gpu::operator-}, {"mul", gpu::operator*},
    {"div", gpu::operator/}, {"lt", gpu::operator<},  {"le", gpu::operator<=},
    {"gt", gpu::operator>},  {"ge", gpu::operator>=}, {"eq", gpu::operator==},
    {"ne", gpu::operator!=}, {"and", gpu::operator&}, {"or", gpu::operator|},
    {"maximum", gpu::maximum}, {"minimum", gpu::minimum}, {"pow", gpu::pow},
    {"dot", gpu::dot}, {"outer", gpu::outer}, {"mod", gpu::mod},
    {"floor_divide", gpu::floor_divide},
};
// clang-format on
const std::map<std::string, Reduction> kReductions{
    {"sum", gpu::sum},
    {"mean", gpu::mean},
    {"max", gpu::max},
    {"min", gpu::min},
    {"prod", gpu::prod},
    {"argmax", over_axis<gpu::argmax>},
    {"argmin", over_axis<gpu::argmin>},
    {"std", deviation},
    {"all", all},
    {"any", gpu::any},
};

using Method = std::function<garray(Value&, const Expr&)>;

#define METHOD(name)                                                               \
  {                                                                                \
    "." #name, [](Value& a, const Expr&) {                                         \
      return a.with([](auto&& x) { return std::forward<decltype(x)>(x).name(); }); \
    }                                                                              \
  }
#define REDUCTION(name)                                                                   \
  {                                                                                       \
    "." #name, [](Value& a, const Expr& call) {                                           \
      return a.with(                                                                      \
          [&](auto&& x) { return std::forward<decltype(x)>(x).name(axis_of(call, 2)); }); \
    }                                                                                     \
  }
/// Functions of an array and of what else stands in the call.
const std::map<std::string, Method> kMethods{
    METHOD(abs),
    METHOD(exp),
    METHOD(log),
    METHOD(log_1_plus_exp),
    METHOD(logistic),
    METHOD(sign),
    METHOD(sqrt),
    METHOD(tanh),
    METHOD(isnan),
    METHOD(isinf),
    METHOD(isreal),
    METHOD(isnumber),
    METHOD(log2),
    METHOD(log10),
    METHOD(sin),
    METHOD(cos),
    METHOD(floor),
    METHOD(ceil),
    METHOD(rint),
    METHOD(trunc),
    METHOD(square),
    METHOD(log1p),
    METHOD(expm1),
    METHOD(T),
    METHOD(ravel),
    REDUCTION(sum),
    REDUCTION(mean),
    REDUCTION(max),
    REDUCTION(min),
    REDUCTION(prod),
    REDUCTION(argmax),
    REDUCTION(argmin),
    REDUCTION(std),
    REDUCTION(all),
    REDUCTION(any),
    {"euclid_norm",
     [](Value& a, const Expr&) {
       return a.with([](auto&& x) { return garray(x.euclid_norm()); });
     }},
    {"reshape",
     [](Value& a, const Expr& call) {
       const Dims dims = numbers_of(call.items[2].atom);
       return a.with([&](auto&& x) { return std::forward<decltype(x)>(x).reshape(dims); });
     }},
    {"cumsum",
     [](Value& a, const Expr& call) {
       return a.with([&](auto&& x) { return gpu::cumsum(x, axis_of(call, 2)); });
     }},
    {"sort",
     [](Value& a, const Expr& call) {
       return a.with([&](auto&& x) { return gpu::sort(x, axis_of(call, 2).value_or(-1)); });
     }},
    {"tile",
     [](Value& a, const Expr& call) {
       const Dims reps = numbers_of(call.items[2].atom);
       return a.with([&](auto&& x) { return gpu::tile(x, reps); });
     }},
    {"diagflat",
     [](Value& a, const Expr&) { return a.with([](auto&& x) { return gpu::diagflat(x); }); }},
    {"at",
     [](Value& a, const Expr& call) {
       std::vector<gpu::Subscript> subscripts;
       for (std::size_t i = 2; i < call.items.size(); ++i)
         subscripts.push_back(subscript_of(call.items[i].atom));
       return a.with([&](auto&& x) { return x.subscript(subscripts); });
     }},
};
#undef METHOD
#undef REDUCTION

class Program {
 public:
  /// One line.
  void run(const std::string& line) {
    std::istringstream in(line);
    std::string verb;
    in >> verb;
    if (verb == "input") return input(in);
    if (verb == "new") return make(in);
    if (verb == "let") return assign(in);
    const Expr target = parse(in);
    note_moved(target);
    if (verb == "settle") {
      named(target.atom).settle();
      return;
    }
    Value value = evaluate(next(in));
    if (verb == "set")
      write(evaluate(target), std::move(value));
    else
      update(verb[0], target, std::move(value));
  }

  /// Ends a line, whether it succeeded or not.
  void forget_moved() {
    for (const std::string& name : moved_) names_.erase(name);
    moved_.clear();
  }

  /// Prints the names' values in the engine's type and forgets them.
  void end() {
    for (const auto& [name, array] : names_) {
      std::printf("%s", name.c_str());
      for (const Index extent : array.shape()) std::printf(" %lld", static_cast<long long>(extent));
      std::puts("");
      if (const auto bytes = array.nbytes() / std::max<Index>(array.size(), 1); bytes == 4)
        print(array.to_vector<float>());
      else if (bytes == 8)
        print(array.to_vector<double>());
      else
        print(array.to_vector<long double>());
    }
    names_.clear();
  }

 private:
  template <class T>
  static void print(const std::vector<T>& elements) {
    if (!elements.empty()) std::fwrite(elements.data(), sizeof(T), elements.size(), stdout);
  }

  Expr next(std::istream& in) {
    Expr expr = parse(in);
    note_moved(expr);
    return expr;
  }

  void note_moved(const Expr& expr) {
    if (!expr.items.empty() && expr.items[0].atom == "move") moved_.push_back(expr.items[1].atom);
    for (const Expr& item : expr.items) note_moved(item);
  }

  garray& named(const std::string& name) {
    const auto found = names_.find(name);
    if (found == names_.end()) cudamat::misuse("gnumpy_script", "no name {}", name);
    return found->second;
  }

  void input(std::istream& in) {
    std::string name;
    in >> name;
    Dims dims;
    for (std::string text; in >> text && text != ":";) dims.push_back(std::stoll(text));
    std::vector<double> elements;
    for (std::string text; in >> text;) elements.push_back(std::strtod(text.c_str(), nullptr));
    names_.insert_or_assign(name, garray(elements, dims));
  }

  void make(std::istream& in) {
    std::string name;
    in >> name;
    Value value = evaluate(next(in));
    garray made = value.with([](auto&& x) { return garray(std::forward<decltype(x)>(x)); });
    names_.erase(name);
    names_.emplace(name, std::move(made));
  }

  void assign(std::istream& in) {
    std::string name;
    in >> name;
    Value value = evaluate(next(in));
    garray& target = named(name);
    if (value.name != nullptr)
      target = *value.name;
    else
      target = value.temporary ? *std::move(value.temporary) : garray(value.number);
  }

  static void write(Value target, Value value) {
    garray& place = target.temporary.value();
    if (value.name != nullptr)
      std::move(place) = *value.name;
    else if (value.temporary)
      std::move(place) = *std::move(value.temporary);
    else
      std::move(place) = value.number;
  }

  void update(char symbol, const Expr& target, Value value) {
    if (!target.atom.empty()) {
      garray& name = named(target.atom);
      if (symbol == '+') name += value.take();
      if (symbol == '-') name -= value.take();
      if (symbol == '*') name *= value.take();
      if (symbol == '/') name /= value.take();
      if (symbol == '%') name %= value.take();
      return;
    }
    Value place = evaluate(target);
    garray& part = place.temporary.value();
    if (symbol == '+') std::move(part) += value.take();
    if (symbol == '-') std::move(part) -= value.take();
    if (symbol == '*') std::move(part) *= value.take();
    if (symbol == '/') std::move(part) /= value.take();
    if (symbol == '%') std::move(part) %= value.take();
  }

  Value evaluate(const Expr& expr) {
    if (!expr.atom.empty()) {
      const bool is_number = expr.atom == "nan" || expr.atom == "inf";
      if (std::isalpha(expr.atom[0]) != 0 && !is_number) return {&named(expr.atom), {}, 0};
      return {nullptr, {}, std::stod(expr.atom)};
    }
    if (expr.items.at(0).atom == "move") return {nullptr, std::move(named(expr.items[1].atom)), 0};
    return {nullptr, call(expr), 0};
  }

  garray call(const Expr& expr) {
    const std::string& name = expr.items.at(0).atom;
    if (name == "full")
      return gpu::full(numbers_of(expr.items[1].atom), std::stod(expr.items[2].atom));
    if (name == "zeros") return gpu::zeros(numbers_of(expr.items[1].atom));
    if (name == "ones") return gpu::ones(numbers_of(expr.items[1].atom));
    if (name == "eye") return gpu::eye(std::stoll(expr.items[1].atom));
    if (name == "concatenate") return concatenate(expr);
    if (const auto found = gnumpy_script::functions().find(name);
        found != gnumpy_script::functions().end() && has_options(expr))
      return with_options(found->second, expr);
    Value a = evaluate(expr.items.at(1));
    if (const auto found = kMethods.find(name); found != kMethods.end())
      return found->second(a, expr);
    if (const auto found = kUnary.find(name); found != kUnary.end()) return found->second(a.take());
    if (const auto found = kReductions.find(name); found != kReductions.end())
      return found->second(a.take(), axis_of(expr, 2), {});
    Value b = evaluate(expr.items.at(2));
    if (const auto found = kBinary.find(name); found != kBinary.end())
      return found->second(a.take(), b.take());
    if (name == "tensordot")
      return gpu::tensordot(a.take(), b.take(), std::stoi(expr.items.at(3).atom));
    if (name != "where") throw std::runtime_error("no function " + name);
    Value c = evaluate(expr.items.at(3));
    return gpu::where(a.take(), b.take(), c.take());
  }

  /// Whether "-" or "key=value;..." comes first.
  static bool has_options(const Expr& expr) {
    const std::string& first = expr.items.at(1).atom;
    return first == "-" || first.find('=') != std::string::npos;
  }

  garray with_options(const gnumpy_script::Function& function, const Expr& expr) {
    std::vector<Value> values;
    for (std::size_t i = 2; i < expr.items.size(); ++i) values.push_back(evaluate(expr.items[i]));
    return function(values, gnumpy_script::Options(expr.items[1].atom));
  }

  /// (concatenate AXIS EXPR...)
  garray concatenate(const Expr& expr) {
    std::vector<garray> parts;
    for (std::size_t i = 2; i < expr.items.size(); ++i)
      parts.push_back(evaluate(expr.items[i]).with([](auto&& x) {
        return garray(std::forward<decltype(x)>(x));
      }));
    return gpu::concatenate(parts, axis_of(expr, 1).value());
  }

  std::map<std::string, garray> names_;
  std::vector<std::string> moved_;  // in this line
};

}  // namespace

int main() {
  Program program;
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "end") {
      program.end();
      std::puts("end");
      std::fflush(stdout);
      continue;
    }
    try {
      program.run(line);
      std::puts("ok");
    } catch (const cudamat::CUDAMatException& error) {
      std::string text = error.what();
      for (char& c : text)
        if (c == '\n') c = ' ';
      std::printf("error %s\n", text.c_str());
    }
    program.forget_moved();
  }
  return 0;
}
