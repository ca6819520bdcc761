// The text of gnumpy_script's programs: expressions, subscripts, lists of numbers.
#pragma once

#include <cctype>
#include <istream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "gnumpy/garray.hpp"
#include "gnumpy/index.hpp"

namespace gnumpy_script {

struct Expr {
  std::string atom;  // empty: a list
  std::vector<Expr> items;
};

inline Expr parse(std::istream& in) {
  Expr expr;
  in >> std::ws;
  if (in.peek() == '(') {
    in.get();
    while ((in >> std::ws).peek() != ')') {
      if (!in.good()) throw std::runtime_error("a parenthesis is not closed");
      expr.items.push_back(parse(in));
    }
    in.get();
    return expr;
  }
  while (in.good() && in.peek() != ')' && std::isspace(in.peek()) == 0 && in.peek() != EOF)
    expr.atom += static_cast<char>(in.get());
  if (expr.atom.empty()) throw std::runtime_error("an expression is missing");
  return expr;
}

/// "[2,-1]", "{0,3}"
inline gnumpy::Dims numbers_of(const std::string& text) {
  gnumpy::Dims numbers;
  std::istringstream in(text.substr(1, text.size() - 2));
  for (std::string number; std::getline(in, number, ',');) numbers.push_back(std::stoll(number));
  return numbers;
}

inline std::optional<int> axis_of(const Expr& call, std::size_t at) {
  if (call.items.size() <= at) return {};
  return std::stoi(call.items[at].atom);
}

inline gnumpy::Subscript subscript_of(const std::string& text) {
  if (text == "...") return gnumpy::ellipsis;
  if (text == "new") return gnumpy::newaxis;
  if (text[0] == '{') return numbers_of(text);
  if (text.find(':') == std::string::npos) return static_cast<gnumpy::Index>(std::stoll(text));
  std::optional<gnumpy::Index> parts[3];
  std::size_t part = 0;
  std::string digits;
  for (const char c : text + ":") {
    if (c != ':') {
      digits += c;
      continue;
    }
    if (!digits.empty()) parts[part] = std::stoll(digits);
    digits.clear();
    ++part;
  }
  return gnumpy::slice(parts[0], parts[1], parts[2]);
}

}  // namespace gnumpy_script
