// Fused statements: their text, what is refused, their call on matrices, and how lists have them.
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cudamat/fused_call.hpp"
#include "cudamat/fused_text.hpp"
#include "npmat/npmat.hpp"
#include "rewriter/list/fusion.hpp"
#include "rewriter/run/run.hpp"

#include "list_check.hpp"

namespace {

using cudamat::FusedText;
using testing::HasSubstr;
using Matrix = npmat::CUDAMatrix<double>;

/// Capital letters are matrices.
FusedText read(const std::string& text) {
  return cudamat::parse_fused(
      text, [](std::string_view name) { return name[0] >= 'A' && name[0] <= 'Z'; });
}

TEST(FusedText, IsReadAndPrintedAsItWas) {
  for (const char* const text : {
           "X = A + B",
           "X = A - (B - C) - 2",
           "X = (A + B) * -0.5 / (C * D)",
           "X = A / (B / C)",
           "X = (A < B) - (A == 1e-08)",
           "X = where(A > 0, exp(A), tanh(B) * inf)",
           "X = A + row(V) * col(W) - one(S)",
           "X = rand() < A",
           "u1 = rand(); u2 = randn(); X = u2 - u1",
           "X[1:5] = A[0:4] + B[i + 1:2 * i]",
           "u1 = exp(A); X = u1 / (u1 + 1)",
           "X = exp(A); S = sum(X, axis=1); Y = X * 2",
           "S = add_sums(A * B, axis=0, mult=0.5, beta=0.9)",
           "S = total_max(abs(A))",
           "S = mean(A * A)",
           "S = add_sums(A, mult=0.5, beta=1)",
           "u1 = A; A = u1 + 1; B = u1 * A",
           "X = 0; Y = A",
           "X = soft_threshold(maximum(A, 0.5), 0.1)",
           "u1 = exp(A - col(max(A, axis=1))); X = u1 / col(sum(u1, axis=1))",
           "X = (A - row(mean(A, axis=0))) / sqrt(row(V))",
           "u1 = mean(A, axis=1); X = A - col(u1); Y = A + col(u1)",
           "S = sum(A, axis=1); X = A / col(S)",
           "col(S) = sqrt(col(sum(A * A, axis=1)) + 1e-05); X = A / col(S)",
           "X = row(max(A, axis=0)); Y = A * 2",
           "row(V) = row(max(A, axis=0)) * row(W); X = A * 2",
           "u1 = A; T = max(u1, axis=1); S = sum(u1, axis=1); A = u1 / col(S)",
       }) {
    EXPECT_EQ(cudamat::print_fused(read(text)), text);
  }
}

TEST(FusedText, ASumOfManyTermsIsPrintedWithoutRecursion) {
  std::string text = "X = A";
  for (int i = 0; i < 100'000; ++i) text += " + B";
  EXPECT_EQ(cudamat::print_fused(read(text)), text);
}

TEST(FusedText, NamesOfValuesAreFree) {
  FusedText text = read("u1 = exp(A); X = u1 / (u1 + 1)");
  EXPECT_EQ(cudamat::print_fused(text, [](const std::string& name) { return name == "u1"; }),
            "u2 = exp(A); X = u2 / (u2 + 1)");
}

TEST(FusedText, WhatCannotBeReadSaysWhere) {
  const auto error = [](const std::string& text) -> std::string {
    try {
      read(text);
    } catch (const cudamat::CUDAMatException& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_THAT(error(""), HasSubstr("a name is expected"));
  EXPECT_THAT(error("X = A +"), HasSubstr("a name is expected"));
  EXPECT_THAT(error("X = A B"), HasSubstr("';' or the end is expected at 'B'"));
  EXPECT_THAT(error("X = unknown(A)"), HasSubstr("there is no function unknown"));
  EXPECT_THAT(error("X = y"), HasSubstr("y is not known"));
  EXPECT_THAT(error("X = row(A + B)"), HasSubstr("')' is expected"));
  EXPECT_THAT(error("X = sum(A, axis=2)"), HasSubstr("no such axis"));
  EXPECT_THAT(error("X = total_sum(A, axis=0)"), HasSubstr("has no axis"));
  EXPECT_THAT(error("X = A; X = B"), HasSubstr("X is assigned twice"));
  EXPECT_THAT(error("x = A; x = B"), HasSubstr("x has a value already"));
  EXPECT_THAT(error("x = A"), HasSubstr("no matrix is assigned to"));
  EXPECT_THAT(error("X[1] = A"), HasSubstr("':' is expected"));
  EXPECT_THAT(error("X = A - max(A, axis=1)"), HasSubstr("row(max(...)) or col(max(...))"));
  EXPECT_THAT(error("X = A - row(max(A, axis=1))"), HasSubstr("a col is read as a row"));
  EXPECT_THAT(error("X = A - one(max(A))"), HasSubstr("take a reduction over an axis"));
  EXPECT_THAT(error("m = max(A)"), HasSubstr("m is not a matrix"));
  EXPECT_THAT(error("S = max(A, axis=1); X = A - row(S)"), HasSubstr("a col is read as a row"));
  EXPECT_THAT(error("X = " + std::string(100'000, '(')), HasSubstr("nested more than 100 deep"));
}

Matrix matrix(cudamat::Shape shape, double first) {
  cudamat::HostMatrix<double> host(shape, 0);
  for (cudamat::Index j = 0; j < shape.cols; ++j)
    for (cudamat::Index i = 0; i < shape.rows; ++i) host(i, j) = first + 0.25 * double(i - 2 * j);
  return Matrix(host);
}

TEST(FusedCall, ComputesOnMatrices) {
  Matrix a = matrix({3, 4}, 1), v = matrix({1, 4}, -2), x = matrix({3, 4}, 0),
         s = matrix({3, 1}, 0);
  const auto before = a.asarray();
  cudamat::fused<Matrix::engine>("x = exp(a) * row(v); s = sum(x, axis=1); a = a + 1",
                                 {{"a", a}, {"v", v}, {"x", x}, {"s", s}});
  for (cudamat::Index i = 0; i < 3; ++i) {
    double sum = 0;
    for (cudamat::Index j = 0; j < 4; ++j) {
      const double wanted = std::exp(before(i, j)) * v.asarray()(0, j);
      EXPECT_NEAR(x.asarray()(i, j), wanted, 4e-16 * std::abs(wanted));
      EXPECT_EQ(a.asarray()(i, j), before(i, j) + 1);
      sum += x.asarray()(i, j);
    }
    EXPECT_NEAR(s.asarray()(i, 0), sum, 1e-14);
  }
}

TEST(FusedCall, TakesRows) {
  Matrix a = matrix({5, 2}, 1), x = matrix({6, 2}, 0);
  const auto old = x.asarray();
  cudamat::fused<Matrix::engine>("x = a * 2", {{"a", a, 1, 4}, {"x", x, 3, 6}});
  for (cudamat::Index j = 0; j < 2; ++j)
    for (cudamat::Index i = 0; i < 6; ++i)
      EXPECT_EQ(x.asarray()(i, j), i < 3 ? old(i, j) : a.asarray()(i - 2, j) * 2);
}

TEST(FusedCall, RefusesWhatDoesNotFit) {
  Matrix a = matrix({3, 4}, 1), b = matrix({4, 4}, 1), x = matrix({3, 4}, 0), s = matrix({1, 4}, 0);
  Matrix none = matrix({0, 4}, 0);
  const auto error = [&](const char* text) -> std::string {
    try {
      cudamat::fused<Matrix::engine>(text, {{"a", a},
                                            {"b", b},
                                            {"x", x},
                                            {"s", s},
                                            {"top", b, 0, 3},
                                            {"low", b, 1, 4},
                                            {"none", none}});
    } catch (const cudamat::CUDAMatException& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_EQ(error("x = a + top"), "");
  EXPECT_THAT(error("x = a + b"), HasSubstr("input 1 must be 3x4 to match 3x4; got 4x4"));
  EXPECT_THAT(error("x = a * col(s)"), HasSubstr("must be 3x1"));
  EXPECT_THAT(error("top = low * 2"), HasSubstr("overlaps input 0"));
  EXPECT_THAT(error("top = a; low = a"), HasSubstr("overlaps target 0"));
  EXPECT_THAT(error("s = sum(a, axis=1)"), HasSubstr("must be 3x1"));
  EXPECT_THAT(error("s = max(none, axis=0)"), HasSubstr("is empty, and an empty max has no value"));
  EXPECT_THAT(error("s = sum(row(s), axis=0)"), HasSubstr("no matrix has the whole shape"));
}

TEST(FusedLists, AreReadPrintedAndVerified) {
  const auto list = lists::parsed(R"list(input a: (4, 3)
input v: (3,)
x = cm.empty((4, 3))
s = cm.empty((1, 3))
x.assign(0)
for i in range(0, 2):
  cm.fused("x[i:i + 2] = a[i + 1:i + 3] * 2 + row(v)")
cm.fused("u1 = rand(); x = x + (u1 < 0.5); s = sum(u1, axis=0)")
output x: (4, 3)
output s: (1, 3)
)list");
  EXPECT_EQ(lists::lost(list), "");
  const rewriter::StatementList plain = rewriter::unfused(list);
  EXPECT_EQ(lists::lost(plain), "");
  EXPECT_FALSE(rewriter::has_fused(plain));
  const std::map<std::string, npmat::Array<double>> data = {
      {"a", {{4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}}, {"v", {{3}, {0.5, -0.5, 0}}}};
  const auto with = rewriter::run<Matrix>(list, data);
  const auto without = rewriter::run<Matrix>(plain, data);
  for (const auto& [name, array] : with.outputs)
    EXPECT_EQ(array.data, without.outputs.at(name).data) << name;
}

TEST(FusedLists, ProblemsAreNamed) {
  const auto problem = [](const std::string& statement) -> std::string {
    try {
      lists::parsed("input a: (4, 3)\ninput v: (3,)\nx = cm.empty((4, 3))\n" + statement +
                    "\noutput a: (4, 3)\n");
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem("cm.fused(\"x = a + row(v)\")"), "");
  EXPECT_THAT(problem("cm.fused(\"x = a + x\")"), HasSubstr("is read before anything wrote to it"));
  EXPECT_THAT(problem("cm.fused(\"x = a + v\")"), HasSubstr("must be 4x3"));
  EXPECT_THAT(problem("cm.fused(\"x = a[1:5]\")"), HasSubstr("rows 1:5 do not lie within 0:4"));
  EXPECT_THAT(problem("cm.fused(\"a[0:3] = a[1:4] * 2\")"), HasSubstr("overlaps"));
  EXPECT_THAT(problem("cm.fused(\"x = a[i:4]\")"),
              HasSubstr("expected a whole number or a variable of a loop"));
  EXPECT_THAT(problem("cm.fused(\"x = b\")"), HasSubstr("b is not known"));
  EXPECT_THAT(problem("cm.fused('x = a')"), HasSubstr("between two '\"'"));
}

template <class T>
void expect_the_draws_of(const rewriter::StatementList& list) {
  const auto fused = rewriter::run<npmat::CUDAMatrix<T>>(list, {}).outputs;
  const auto plain = rewriter::run<npmat::CUDAMatrix<T>>(rewriter::unfused(list), {}).outputs;
  for (const auto& [name, array] : plain) EXPECT_EQ(fused.at(name).data, array.data) << name;
}

// One number is drawn from the engine's stream, too.
TEST(FusedList, DrawsWhatItsCallsDrawInEachPrecision) {
  const auto list = lists::parsed(
      "a = cm.empty((1, 1))\n"
      "cm.fused(\"a = rand() + 1\")\n"
      "b = cm.empty((1, 1))\n"
      "b.fill_with_rand()\n"
      "output a: ()\n"
      "output b: ()\n");
  expect_the_draws_of<float>(list);
  expect_the_draws_of<double>(list);
  expect_the_draws_of<long double>(list);
}

}  // namespace
