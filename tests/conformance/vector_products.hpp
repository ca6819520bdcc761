// Products of a matrix and a vector are summed as reductions are. Written over an engine E alone.
#pragma once

#include <cmath>

#include "tests/conformance/harness.hpp"

namespace conformance {

/// A count x k matrix times a vector of k, and how it is said.
struct VectorProduct {
  Index count, k;
  bool flagged;   ///< the matrix is stored as its transpose
  bool in_front;  ///< the vector, lying: vector @ matrix'
};

inline std::vector<VectorProduct> vector_products(Index most) {
  std::vector<VectorProduct> result;
  for (const Index count : {1, 2, 3, 5, 7, 8, 15, 16, 17, 33, 47, 64, 65, 300, 2049, 4500})
    for (const Index k : {129, 130, 135, 192, 257, 1000, 1025, 4097, 20011})
      if (count * k <= most)
        for (const bool flagged : {false, true})
          for (const bool in_front : {false, true}) result.push_back({count, k, flagged, in_front});
  return result;
}

/// target = beta * target + alpha * the product; `matrix` is count x k, target has `count` numbers.
template <class E>
Host<Value<E>> multiply(const VectorProduct& form, const Host<Value<E>>& matrix,
                        const Host<Value<E>>& vector, const Host<Value<E>>& target,
                        Value<E> beta = 0, Value<E> alpha = 1) {
  // What is at the left or right of the vector: matrix, or its transpose.
  const bool stored_turned = form.flagged != form.in_front;
  Framed<E> m(stored_turned ? transposed(matrix) : matrix, 3), v(vector, 1), t(target, 2);
  m->set_trans(form.flagged);
  v->reshape(form.in_front ? Shape{1, form.k} : Shape{form.k, 1});
  t->reshape(form.in_front ? Shape{1, form.count} : Shape{form.count, 1});
  if (form.in_front)
    cudamat::dot(*v, *m, *t, beta, alpha);
  else
    cudamat::dot(*m, *v, *t, beta, alpha);
  return t.contents({form.count, 1});
}

inline std::string text_of(const VectorProduct& form) {
  return fmt::format("{}x{}{}{}", form.count, form.k, form.flagged ? " flagged" : "",
                     form.in_front ? ", the vector in front" : "");
}

/// Runs of 16 additions, the neighbours in them and pairs of runs make these errors at most.
template <class E>
void check_vector_products_are_as_accurate_as_pairwise_sums(Index most) {
  using T = Value<E>;
  for (const VectorProduct& form : vector_products(most)) {
    Random<T> random(41);
    const Host<T> matrix = random.matrix({form.count, form.k});
    const Host<T> vector = random.matrix({form.k, 1});
    const Host<T> before = random.matrix({form.count, 1});
    Host<Wider<T>> wanted(Shape{form.count, 1}), allowed(Shape{form.count, 1});
    const T alpha(0.75), beta(0.5);
    const auto additions = Wider<T>(24 + std::log2(double(form.k) / 128));
    for (Index i = 0; i < form.count; ++i) {
      Wider<T> sum = 0, size = 0;
      for (Index j = 0; j < form.k; ++j) {
        const Wider<T> term = Wider<T>(matrix(i, j)) * vector(j, 0);
        sum += term, size += magnitude(term);
      }
      wanted(i, 0) = beta * Wider<T>(before(i, 0)) + alpha * sum;
      allowed(i, 0) = roundoff<T>() * (additions * size + magnitude(Wider<T>(before(i, 0))));
    }
    expect_all_near(multiply<E>(form, matrix, vector, before, beta, alpha), wanted, allowed,
                    text_of(form));
    if (::testing::Test::HasFailure()) return;
  }
}

/// A sum by a product with ones loses no digits, however long it is.
template <class E>
void check_long_sums_keep_their_digits(Index n) {
  using T = Value<E>;
  const T tenth(0.1L);
  for (const bool flagged : {false, true})
    for (const Index count : {Index(1), Index(3)}) {
      const Index k = n / count;
      Mat<E> matrix = Mat<E>::empty(flagged ? Shape{k, count} : Shape{count, k});
      Mat<E> ones = Mat<E>::empty({k, 1});
      matrix.assign(tenth), ones.assign(T(1));
      matrix.set_trans(flagged);
      const Host<T> sums = read(cudamat::dot(matrix, ones));
      for (Index i = 0; i < count; ++i)
        expect_near(sums(i, 0), Wider<T>(tenth) * Wider<T>(k), 16 * roundoff<T>() * k * tenth,
                    fmt::format("{} x {}{}", count, k, flagged ? " flagged" : ""));
    }
}

/// NaN and infinities reach exactly the elements that their row makes.
template <class E>
void check_special_numbers_stay_in_their_row(Index most) {
  using T = Value<E>;
  for (const VectorProduct& form : vector_products(most)) {
    if (form.count == 1) continue;
    Host<T> matrix(Shape{form.count, form.k}, T(1)), vector(Shape{form.k, 1}, T(1));
    Host<T> wanted(Shape{form.count, 1}, T(form.k));
    for (Index i = 0; i < form.count; i += 3) {
      matrix(i, (7 * i + form.k - 1) % form.k) = i % 2 == 0 ? kNaN<T> : kInfinity<T>;
      wanted(i, 0) = i % 2 == 0 ? kNaN<T> : kInfinity<T>;
    }
    expect_same(multiply<E>(form, matrix, vector, Host<T>(Shape{form.count, 1}, kNaN<T>)), wanted,
                text_of(form));
    if (::testing::Test::HasFailure()) return;
  }
}

/// dot into a target, then added, gives the bits of add_dot; so does subtract_dot's.
template <class E>
void check_forms_give_the_same_bits(Index most) {
  using T = Value<E>;
  for (const VectorProduct& form : vector_products(most)) {
    Random<T> random(42);
    const Host<T> matrix = random.matrix({form.count, form.k});
    const Host<T> vector = random.matrix({form.k, 1});
    const Host<T> before = random.matrix({form.count, 1});
    const Host<T> product = multiply<E>(form, matrix, vector, before);
    Host<T> added = before, subtracted = before;
    for (Index i = 0; i < form.count; ++i)
      added(i, 0) += product(i, 0), subtracted(i, 0) -= product(i, 0);
    expect_same(multiply<E>(form, matrix, vector, before, 1), added, text_of(form));
    expect_same(multiply<E>(form, matrix, vector, before, 1, -1), subtracted, text_of(form));
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace conformance
