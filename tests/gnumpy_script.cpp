// Runs programs of garrays that tests/differential/gnumpy_test.py writes, and prints what they
// give.
//
//   gnumpy_script < programs > values
//
// A program is a line each of
//   input NAME DIM... : NUMBER...
//   new NAME EXPR           garray name(EXPR): an expression is not computed yet
//   view NAME TARGET        auto name = TARGET: a view, to be written to as a TARGET
//   let NAME EXPR           name = EXPR
//   set TARGET EXPR         a view, a subscript or a reshape of a name is assigned to
//   += TARGET EXPR          and -= *= /= %=; TARGET may be a name, too
//   settle NAME
//   end                     prints all names and forgets them
// where EXPR is a number, a name, or (function EXPR...), a temporary; (at EXPR SUBSCRIPT...) has
// 1, 0:4:2, ..., new and {2,0} as subscripts, or (mask EXPR), an array of truth values; a shape is
// a list: (reshape x [2,-1]). The functions of gnumpy_script_functions.hpp have options first:
// (f:sum axis=[0,2];keepdims=1 x). After a line with (move NAME) there is no NAME.
//
// Each line gives a line "ok", or "error" and the message; `end` gives "NAME DIM..." and the
// elements as they are in memory for every name, and "end".
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gnumpy/gnumpy.hpp"

#include "gnumpy_script_calls.hpp"
#include "gnumpy_script_functions.hpp"
#include "gnumpy_script_text.hpp"

namespace {

using namespace gnumpy_script;

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
    if (verb == "view") return view(in);
    const Expr target = parse(in);
    note_moved(target);
    if (verb == "settle") {
      named(target.atom).materialize();
      return;
    }
    Value value = evaluate(next(in));
    if (verb == "set")
      write(place(target), std::move(value));
    else
      update(verb[0], target, std::move(value));
  }

  /// Ends a line, whether it succeeded or not.
  void forget_moved() {
    for (const std::string& name : moved_) {
      names_.erase(name);
      views_.erase(name);
    }
    moved_.clear();
  }

  /// Prints the names' values in the engine's type and forgets them.
  void end() {
    for (const auto& [name, array] : names_) print(name, array);
    for (const auto& [name, array] : views_) print(name, array);
    names_.clear();
    views_.clear();
  }

 private:
  static void print(const std::string& name, const gpu::garray_base& array) {
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

  void view(std::istream& in) {
    std::string name;
    in >> name;
    gpu::garray_view made = place(parse(in));
    names_.erase(name);
    views_.erase(name);
    views_.emplace(name, made);
  }

  /// What is written to: a name, a view's, or subscripts and reshapes of one.
  gpu::garray_view place(const Expr& target) {
    if (!target.atom.empty()) {
      if (const auto found = views_.find(target.atom); found != views_.end()) return found->second;
      return {named(target.atom)};
    }
    const std::string& what = target.items.at(0).atom;
    gpu::garray_view of = place(target.items.at(1));
    if (what == "at") return of.subscript(subscripts_of(target));
    if (what == "reshape") return of.reshape(numbers_of(target.items[2].atom));
    if (what == ".ravel") return of.ravel();
    throw std::runtime_error(what + " is not written to");
  }

  std::vector<gpu::Subscript> subscripts_of(const Expr& call) {
    std::vector<gpu::Subscript> subscripts;
    for (std::size_t i = 2; i < call.items.size(); ++i) {
      const Expr& item = call.items[i];
      if (!item.atom.empty())
        subscripts.push_back(subscript_of(item.atom));
      else
        subscripts.emplace_back(garray(evaluate(item.items.at(1)).with([](auto&& x) {
          return garray(std::forward<decltype(x)>(x));
        })));
    }
    return subscripts;
  }

  void make(std::istream& in) {
    std::string name;
    in >> name;
    Value value = evaluate(next(in));
    garray made = value.with([](auto&& x) { return garray(std::forward<decltype(x)>(x)); });
    names_.erase(name);
    views_.erase(name);
    names_.emplace(name, std::move(made));
  }

  void assign(std::istream& in) {
    std::string name;
    in >> name;
    Value value = evaluate(next(in));
    garray& target = named(name);
    if (value.name != nullptr)
      target = *value.name;
    else if (value.view != nullptr)
      target = *value.view;
    else
      target = value.temporary ? *std::move(value.temporary) : garray(value.number);
  }

  static void write(gpu::garray_view place, Value value) {
    if (value.name != nullptr)
      std::move(place) = *value.name;
    else if (value.view != nullptr)
      std::move(place) = *value.view;
    else if (value.temporary)
      std::move(place) = *std::move(value.temporary);
    else
      std::move(place) = value.number;
  }

  template <class Array>
  static void update(char symbol, Array&& array, Value value) {
    if (symbol == '+')
      std::forward<Array>(array) += value.take();
    else if (symbol == '-')
      std::forward<Array>(array) -= value.take();
    else if (symbol == '*')
      std::forward<Array>(array) *= value.take();
    else if (symbol == '/')
      std::forward<Array>(array) /= value.take();
    else if (symbol == '%')
      std::forward<Array>(array) %= value.take();
  }

  void update(char symbol, const Expr& target, Value value) {
    if (const auto found = names_.find(target.atom); found != names_.end())
      return update(symbol, found->second, std::move(value));
    gpu::garray_view part = place(target);
    update(symbol, std::move(part), std::move(value));
  }

  Value evaluate(const Expr& expr) {
    if (!expr.atom.empty()) {
      const bool is_number = expr.atom == "nan" || expr.atom == "inf";
      if (std::isalpha(expr.atom[0]) != 0 && !is_number) {
        if (const auto found = views_.find(expr.atom); found != views_.end())
          return {nullptr, &found->second, {}, 0};
        return {&named(expr.atom), nullptr, {}, 0};
      }
      return {nullptr, nullptr, {}, std::stod(expr.atom)};
    }
    if (expr.items.at(0).atom == "move") {
      const std::string& name = expr.items[1].atom;
      if (const auto found = views_.find(name); found != views_.end())
        return {nullptr, nullptr, garray(found->second), 0};
      return {nullptr, nullptr, std::move(named(name)), 0};
    }
    return {nullptr, nullptr, call(expr), 0};
  }

  garray call(const Expr& expr) {
    const std::string& name = expr.items.at(0).atom;
    if (const auto found = functions().find(name); found != functions().end() && has_options(expr))
      return with_options(found->second, expr);
    if (name == "full")
      return gpu::full(numbers_of(expr.items[1].atom), std::stod(expr.items[2].atom));
    if (name == "zeros") return gpu::zeros(numbers_of(expr.items[1].atom));
    if (name == "ones") return gpu::ones(numbers_of(expr.items[1].atom));
    if (name == "eye") return gpu::eye(std::stoll(expr.items[1].atom));
    if (name == "arange")
      return gpu::arange(std::stod(expr.items[1].atom), std::stod(expr.items[2].atom),
                         std::stod(expr.items[3].atom));
    if (name == "linspace")
      return gpu::linspace(std::stod(expr.items[1].atom), std::stod(expr.items[2].atom),
                           std::stoll(expr.items[3].atom));
    if (name == "concatenate") return gpu::concatenate(parts_of(expr, 2), axis_of(expr, 1).value());
    if (name == "stack") return gpu::stack(parts_of(expr, 2), axis_of(expr, 1).value());
    if (name == "vstack") return gpu::vstack(parts_of(expr, 1));
    if (name == "hstack") return gpu::hstack(parts_of(expr, 1));
    if (name == "dstack") return gpu::dstack(parts_of(expr, 1));
    if (name == "column_stack") return gpu::column_stack(parts_of(expr, 1));
    if (name == "at") {
      const std::vector<gpu::Subscript> subscripts = subscripts_of(expr);
      return evaluate(expr.items.at(1)).with([&](auto&& x) {
        return std::as_const(x).subscript(subscripts);
      });
    }
    Value a = evaluate(expr.items.at(1));
    if (const auto found = kMethods.find(name); found != kMethods.end())
      return found->second(a, expr);
    if (const auto found = kUnary.find(name); found != kUnary.end()) return found->second(a.take());
    if (const auto found = kReductions.find(name); found != kReductions.end())
      return found->second(a.take(), axes_of(expr), keep_of(expr));
    if (const auto found = kPositions.find(name); found != kPositions.end())
      return found->second(a.take(), one_axis_of(expr), keep_of(expr));
    Value b = evaluate(expr.items.at(2));
    if (const auto found = kBinary.find(name); found != kBinary.end())
      return found->second(a.take(), b.take());
    if (name == "tensordot")
      return gpu::tensordot(a.take(), b.take(), std::stoi(expr.items.at(3).atom));
    Value c = evaluate(expr.items.at(3));
    if (name == "clip") return gpu::clip(a.take(), b.take(), c.take());
    if (name != "where") throw std::runtime_error("no function " + name);
    return gpu::where(a.take(), b.take(), c.take());
  }

  /// Whether "-" or "key=value;..." comes first.
  static bool has_options(const Expr& expr) {
    const std::string& first = expr.items.at(1).atom;
    return first == "-" || first.find('=') != std::string::npos;
  }

  garray with_options(const Function& function, const Expr& expr) {
    std::vector<Value> values;
    for (std::size_t i = 2; i < expr.items.size(); ++i) values.push_back(evaluate(expr.items[i]));
    return function(values, Options(expr.items[1].atom));
  }

  /// (concatenate AXIS EXPR...)
  std::vector<garray> parts_of(const Expr& expr, std::size_t first) {
    std::vector<garray> parts;
    for (std::size_t i = first; i < expr.items.size(); ++i)
      parts.push_back(evaluate(expr.items[i]).with([](auto&& x) {
        return garray(std::forward<decltype(x)>(x));
      }));
    return parts;
  }

  std::map<std::string, gpu::garray_view> views_;
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
