/* What the files of the C test share: checks, and matrices with their host memory. */
#ifndef TESTS_CAPI_TEST_H
#define TESTS_CAPI_TEST_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cudamat/capi/cudamat.h"

enum { M = 5, N = 7, SIZE = M * N };
extern int failures;
extern int checks;

static inline void expect(bool good, const char* what, const char* file, int line) {
  ++checks;
  if (good) return;
  ++failures;
  fprintf(stderr, "%s:%d: %s (last error: %s)\n", file, line, what, get_last_cuda_error());
}
#define EXPECT(condition) expect(condition, #condition, __FILE__, __LINE__)
#define OK(call) expect((call) == CUDAMAT_OK, #call, __FILE__, __LINE__)

/* |got - wanted| within `ulps` units of float32's last place of wanted. */
static inline bool near_to(float got, double wanted, double ulps) {
  return fabs((double)got - wanted) <= ulps * 1.2e-7 * fmax(fabs(wanted), 1e-30);
}

/* A matrix with its host memory. Numbers are between -2 and 2, none of them 0. */
typedef struct {
  cudamat mat;
  float host[SIZE];
} Matrix;

static inline void make(Matrix* x, int m, int n, unsigned seed) {
  for (int k = 0; k < SIZE; ++k) {
    seed = seed * 1664525u + 1013904223u;
    x->host[k] = ((float)(seed >> 8) / 16777216.0f - 0.5f) * 4.0f + 1e-3f;
  }
  init_from_array(&x->mat, x->host, m, n);
  OK(copy_to_device(&x->mat));
}

static inline const float* values(Matrix* x) {
  OK(copy_to_host(&x->mat));
  return x->host;
}

static inline void release(Matrix* x) {
  OK(free_device_memory(&x->mat));
}

static inline double sigmoid_of(double x) {
  return 1 / (1 + exp(-x));
}

/* Element-wise calls, reductions, products: capi_compute_test.c. */
void test_computing(void);

#endif
