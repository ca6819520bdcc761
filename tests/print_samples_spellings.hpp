// A list with every spelling of every call.
#pragma once

#include <limits>

#include "tests/print_samples.hpp"

namespace samples {

/// A list, not a well-formed one, with one statement for each of many ways to call every op that a
/// statement can have.
inline StatementList all_spellings() {
  Builder b;
  const auto x = b.input("x", {2, 2});
  const auto y = b.input("y", {2, 2});
  const auto z = b.input("z", {2, 2});
  for (const auto& row : cudamat::kOpTable) {
    using cudamat::Family;
    const Op op = row.op;
    const Family family = row.family;
    if (family == Family::Correlate || family == Family::PerRow || family == Family::Composite)
      continue;
    const bool flags = family == Family::Product || family == Family::AddProduct ||
                       family == Family::Reduction || family == Family::ArgReduction ||
                       family == Family::Accumulate;
    std::size_t operands = 1;
    if (family == Family::Binary || family == Family::ColBroadcast || op == Op::vdot ||
        family == Family::RowBroadcast || family == Family::ColScaled ||
        family == Family::Product || family == Family::AddProduct || family == Family::Select)
      operands = 2;
    const bool solver = family == Family::Solver;
    if (solver && (op == Op::solve || op == Op::lstsq || op == Op::bincount)) operands = 2;
    if (family == Family::Where) operands = 3;
    if (family == Family::Fill) operands = 0;
    std::vector<std::vector<rewriter::Number>> numbers{{}};
    if (family == Family::Accumulate || family == Family::AddProduct)
      numbers = {{1, 1}, {1, 0.5}, {0.5, 1}, {0.5, 2}};
    if (family == Family::Product) numbers = {{}, {0, 1}, {1, 1}, {1, 0}};
    if (op == Op::lstsq) numbers = {{-3}, {0.1}};
    if (op == Op::sum) numbers = {{}, {1}, {0.1}};
    if (family == Family::Scaled || family == Family::ColScaled || family == Family::UnaryScalar)
      numbers = {{1}, {-1}, {0.1}, {0.0}, {-0.0}};
    std::vector<std::vector<Index>> integers{{}};
    if (flags && family != Family::Product && family != Family::AddProduct) integers = {{0}, {1}};
    if (family == Family::GetSlice || family == Family::SetSlice) integers = {{0, 1}, {1, 2}};

    for (const auto target : {x, y, z})
      for (const auto& n : numbers)
        for (const auto& i : integers)
          for (const bool flag : flags ? std::vector<bool>{false, true} : std::vector<bool>{false})
            for (const auto& chosen :
                 {std::vector<Var>{x, y, z}, {y, x, z}, {x, x, x}, {y, z, y}}) {
              std::vector<Statement::Operand> list;
              for (std::size_t k = 0; k < operands; ++k)
                list.push_back({chosen[k], flag && k == 0});
              if (operands != 0 || chosen[1] == y) b.call(op, target, list, n, i);
            }
    if (op == Op::bincount) b.call(op, z, {{x}}).call(op, x, {{y}});
    for (const double number :
         {0.0, -0.0, 1.0, 0.1, 1e300, std::numeric_limits<double>::infinity()}) {
      if (family == Family::Binary) b.call(op, z, {{x}}, {number}).call(op, z, {{z}}, {number});
      if (family == Family::Assign) b.call(op, z, {}, {number});
    }
  }
  return b.done();
}

}  // namespace samples
