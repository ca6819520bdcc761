/* The C interface: element-wise calls, reductions, products, against plain loops in double. */
#include "tests/capi_test.h"

/* ---- element-wise ---- */

static double sign_of(double x) {
  return (x > 0) - (x < 0);
}
static double log_1_plus_exp_of(double x) {
  return log1p(exp(x));
}
static double reciprocal_of(double x) {
  return 1 / x;
}

static void test_unary(void) {
  const struct {
    int (*call)(cudamat*, cudamat*);
    double (*wanted)(double);
    bool positive;
  } table[] = {
      {sign, sign_of, false},
      {apply_sigmoid, sigmoid_of, false},
      {apply_tanh, tanh, false},
      {apply_abs, fabs, false},
      {apply_exp, exp, false},
      {apply_log_1_plus_exp, log_1_plus_exp_of, false},
      {apply_log, log, true},
      {apply_gamma, tgamma, true},
      {apply_lgamma, lgamma, true},
      {apply_sqrt, sqrt, true},
      {reciprocal, reciprocal_of, false},
  };
  for (size_t f = 0; f < sizeof table / sizeof *table; ++f) {
    Matrix a, t;
    make(&a, M, N, 1);
    make(&t, M, N, 2);
    if (table[f].positive) OK(apply_abs(&a.mat, &a.mat));
    float before[SIZE];
    memcpy(before, values(&a), sizeof before);
    OK(table[f].call(&a.mat, &t.mat));
    OK(table[f].call(&a.mat, &a.mat)); /* in place */
    const float *apart = values(&t), *in_place = values(&a);
    for (int k = 0; k < SIZE; ++k) {
      EXPECT(near_to(apart[k], table[f].wanted(before[k]), 40));
      EXPECT(apart[k] == in_place[k]);
    }
    release(&a);
    release(&t);
  }
}

static double add_of(double x, double y) {
  return x + y;
}
static double subtract_of(double x, double y) {
  return x - y;
}
static double mult_of(double x, double y) {
  return x * y;
}
static double divide_of(double x, double y) {
  return x / y;
}
static double less_of(double x, double y) {
  return x < y;
}
static double greater_of(double x, double y) {
  return x > y;
}
static double equals_of(double x, double y) {
  return x == y;
}

static void test_binary(void) {
  const struct {
    int (*with_matrix)(cudamat*, cudamat*, cudamat*);
    int (*with_number)(cudamat*, float, cudamat*);
    double (*wanted)(double, double);
  } table[] = {
      {add_elementwise, add_scalar, add_of},
      {subtract_elementwise, NULL, subtract_of},
      {mult_elementwise, mult_by_scalar, mult_of},
      {divide_elementwise, divide_by_scalar, divide_of},
      {less_than, less_than_scalar, less_of},
      {greater_than, greater_than_scalar, greater_of},
      {equals, equals_scalar, equals_of},
      {minimum, minimum_scalar, fmin},
      {maximum, maximum_scalar, fmax},
      {apply_pow_matrix, apply_pow, pow},
  };
  for (size_t f = 0; f < sizeof table / sizeof *table; ++f) {
    Matrix a, b, t;
    make(&a, M, N, 3);
    make(&b, M, N, 4);
    make(&t, M, N, 5);
    OK(apply_abs(&a.mat, &a.mat)); /* so that powers are real */
    values(&a);
    b.host[3] = a.host[3];
    OK(copy_to_device(&b.mat));
    OK(table[f].with_matrix(&a.mat, &b.mat, &t.mat));
    const float* got = values(&t);
    for (int k = 0; k < SIZE; ++k)
      EXPECT(near_to(got[k], (float)table[f].wanted(a.host[k], b.host[k]), 16));
    if (table[f].with_number) {
      const float number = a.host[3];
      OK(table[f].with_number(&a.mat, number, &t.mat));
      got = values(&t);
      for (int k = 0; k < SIZE; ++k)
        EXPECT(near_to(got[k], (float)table[f].wanted(a.host[k], number), 16));
    }
    release(&a);
    release(&b);
    release(&t);
  }
}

static void test_other_elementwise(void) {
  Matrix a, b, c, t;
  make(&a, M, N, 6);
  make(&b, M, N, 7);
  make(&c, M, N, 8);
  make(&t, M, N, 9);

  OK(apply_soft_threshold(&a.mat, 0.5f, &t.mat));
  const float* got = values(&t);
  for (int k = 0; k < SIZE; ++k)
    EXPECT(near_to(got[k], sign_of(a.host[k]) * fmax(fabsf(a.host[k]) - 0.5f, 0), 1));

  OK(copy_on_device(&a.mat, &t.mat));
  OK(add_mult(&t.mat, &b.mat, -0.25f));
  got = values(&t);
  for (int k = 0; k < SIZE; ++k) EXPECT(got[k] == a.host[k] + -0.25f * b.host[k]);

  OK(less_than_scalar(&c.mat, 0, &c.mat));
  OK(where(&c.mat, &a.mat, &b.mat, &t.mat));
  got = values(&t);
  values(&c);
  for (int k = 0; k < SIZE; ++k) EXPECT(got[k] == (c.host[k] != 0 ? a.host[k] : b.host[k]));

  OK(copy_on_device(&a.mat, &t.mat));
  OK(mult_by_sigmoid_deriv(&t.mat, &b.mat));
  got = values(&t);
  for (int k = 0; k < SIZE; ++k) EXPECT(got[k] == a.host[k] * b.host[k] * (1.0f - b.host[k]));

  OK(assign_scalar(&t.mat, -3.5f));
  got = values(&t);
  for (int k = 0; k < SIZE; ++k) EXPECT(got[k] == -3.5f);
  release(&a);
  release(&b);
  release(&c);
  release(&t);
}

static void test_broadcast(void) {
  const struct {
    int (*call)(cudamat*, cudamat*, cudamat*);
    double (*wanted)(double, double);
    bool row;
  } table[] = {
      {add_col_vec, add_of, false},          {add_row_vec, add_of, true},
      {mult_by_col_vec, mult_of, false},     {mult_by_row_vec, mult_of, true},
      {divide_by_col_vec, divide_of, false}, {divide_by_row_vec, divide_of, true},
  };
  Matrix a, col, row, t;
  make(&a, M, N, 10);
  make(&col, M, 1, 11);
  make(&row, 1, N, 12);
  make(&t, M, N, 13);
  for (size_t f = 0; f < sizeof table / sizeof *table; ++f) {
    Matrix* vec = table[f].row ? &row : &col;
    OK(table[f].call(&a.mat, &vec->mat, &t.mat));
    const float* got = values(&t);
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j)
        EXPECT(got[i + M * j] ==
               (float)table[f].wanted(a.host[i + M * j], vec->host[table[f].row ? j : i]));
  }
  OK(add_col_mult(&a.mat, &col.mat, &t.mat, 0.5f));
  const float* got = values(&t);
  for (int k = 0; k < SIZE; ++k) EXPECT(got[k] == a.host[k] + 0.5f * col.host[k % M]);
  release(&a);
  release(&col);
  release(&row);
  release(&t);
}

/* ---- reductions, products, norms ---- */

static void test_over_axis(void) {
  Matrix a, best, where_best;
  make(&a, M, N, 14);
  for (int axis = 0; axis < 2; ++axis)
    for (int largest = 0; largest < 2; ++largest) {
      const int count = axis == 0 ? N : M, length = axis == 0 ? M : N;
      make(&best, axis == 0 ? 1 : M, axis == 0 ? N : 1, 15);
      make(&where_best, axis == 0 ? 1 : M, axis == 0 ? N : 1, 16);
      OK((largest ? max_by_axis : min_by_axis)(&a.mat, &best.mat, axis));
      OK((largest ? argmax_by_axis : argmin_by_axis)(&a.mat, &where_best.mat, axis));
      const float *value = values(&best), *index = values(&where_best);
      for (int k = 0; k < count; ++k) {
        int winner = 0;
        for (int l = 1; l < length; ++l) {
          const float x = axis == 0 ? a.host[l + M * k] : a.host[k + M * l];
          const float y = axis == 0 ? a.host[winner + M * k] : a.host[k + M * winner];
          if (largest ? x > y : x < y) winner = l;
        }
        EXPECT(index[k] == (float)winner);
        EXPECT(value[k] == (axis == 0 ? a.host[winner + M * k] : a.host[k + M * winner]));
      }
      release(&best);
      release(&where_best);
    }
  /* NaN is not dropped. */
  make(&best, 1, N, 17);
  a.host[2 + M * 3] = NAN;
  OK(copy_to_device(&a.mat));
  OK(max_by_axis(&a.mat, &best.mat, 0));
  OK(copy_to_host(&best.mat));
  for (int j = 0; j < N; ++j) EXPECT(!!isnan(best.host[j]) == (j == 3));
  release(&a);
  release(&best);
}

static void test_products(void) {
  Matrix a, b, t, ones;
  make(&a, M, N, 18);
  make(&b, M, 3, 19); /* dot(a', b): N x 3 */
  make(&t, N, 3, 20);
  cudamat flagged = a.mat;
  set_transpose(&flagged, 1);
  EXPECT(get_leading_dimension(&flagged) == N && get_nonleading_dimension(&flagged) == M);
  EXPECT(get_leading_dimension(&a.mat) == M && get_nonleading_dimension(&a.mat) == N);
  float before[SIZE];
  memcpy(before, t.host, sizeof before);
  OK(dot(&flagged, &b.mat, &t.mat, 0.5f, 2.0f));
  const float* got = values(&t);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < 3; ++j) {
      double sum = 0;
      for (int k = 0; k < M; ++k) sum += (double)a.host[k + M * i] * b.host[k + M * j];
      EXPECT(fabs(got[i + N * j] - (0.5 * before[i + N * j] + 2 * sum)) < 1e-5);
    }
  release(&t);

  /* Sums: a slice of a vector of ones, lying by its flag. */
  make(&ones, 30, 1, 21);
  OK(assign_scalar(&ones.mat, 1));
  cudamat slice;
  OK(get_vector_slice(&ones.mat, &slice, 0, M));
  EXPECT(slice.size[0] == M && slice.size[1] == 1 && slice.owns_data == 0);
  set_transpose(&slice, 1);
  make(&t, 1, N, 22);
  OK(dot(&slice, &a.mat, &t.mat, 0, 1));
  got = values(&t);
  for (int j = 0; j < N; ++j) {
    double sum = 0;
    for (int i = 0; i < M; ++i) sum += a.host[i + M * j];
    EXPECT(fabs(got[j] - sum) < 1e-5);
  }
  release(&b);
  release(&t);
  release(&ones);

  int err = 1;
  double squares = 0, absolute = 0;
  for (int k = 0; k < SIZE; ++k) squares += (double)a.host[k] * a.host[k];
  for (int k = 0; k < SIZE; ++k) absolute += fabs(a.host[k]);
  EXPECT(near_to(euclid_norm(&a.mat, &err), sqrt(squares), 2) && err == 0);
  EXPECT(near_to(manhattan_norm(&a.mat, &err), absolute, 2) && err == 0);
  EXPECT(near_to(vdot(&a.mat, &a.mat, &err), squares, 2) && err == 0);
  EXPECT(near_to(vdot(&a.mat, &a.mat, NULL), squares, 2));
  release(&a);
}

static void test_correlate(void) {
  Matrix a, kernel, t;
  make(&a, M, N, 23);
  make(&kernel, 3, 5, 24);
  make(&t, M, N, 25);
  OK(correlate(&a.mat, &kernel.mat, &t.mat));
  const float* got = values(&t);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int p = 0; p < 3; ++p)
        for (int q = 0; q < 5; ++q) {
          const int y = i + p - 1, x = j + q - 2;
          if (y >= 0 && y < M && x >= 0 && x < N)
            sum += (double)a.host[y + M * x] * kernel.host[p + 3 * q];
        }
      EXPECT(fabs(got[i + M * j] - sum) < 1e-5);
    }
  release(&a);
  release(&kernel);
  release(&t);
}

void test_computing(void) {
  test_unary();
  test_binary();
  test_other_elementwise();
  test_broadcast();
  test_over_axis();
  test_products();
  test_correlate();
}
