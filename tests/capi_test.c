/* A C program on the C interface of Cudamat: every function at least once against plain loops, and
 * some training steps of a logistic unit. Exits with 0 if all is well. */
#include "tests/capi_test.h"

int failures = 0;
int checks = 0;

/* ---- memory, shapes, slices ---- */

static void test_slices(void) {
  Matrix a, rows, turned, t, indices;
  make(&a, M, N, 26);
  float before[SIZE];
  memcpy(before, a.host, sizeof before);

  cudamat view;
  OK(get_slice(&a.mat, &view, 2, 5));
  EXPECT(view.size[0] == M && view.size[1] == 3 && view.on_device && !view.owns_data);
  EXPECT(view.data_device == a.mat.data_device + 2 * M);
  OK(mult_by_scalar(&view, 2, &view));
  OK(free_device_memory(&view)); /* frees nothing */
  const float* got = values(&a);
  for (int k = 0; k < SIZE; ++k) EXPECT(got[k] == before[k] * (k >= 2 * M && k < 5 * M ? 2 : 1));
  memcpy(before, a.host, sizeof before);

  make(&rows, 2, N, 27);
  OK(get_row_slice(&a.mat, &rows.mat, 1, 3));
  got = values(&rows);
  for (int k = 0; k < 2 * N; ++k) EXPECT(got[k] == before[1 + k % 2 + M * (k / 2)]);
  OK(set_row_slice(&rows.mat, &a.mat, 3, 5));
  got = values(&a);
  for (int k = 0; k < SIZE; ++k) EXPECT(got[k] == before[k % M >= 3 ? k - 2 : k]);
  memcpy(before, a.host, sizeof before);

  make(&turned, N, M, 28);
  OK(copy_transpose(&a.mat, &turned.mat));
  got = values(&turned);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) EXPECT(got[j + N * i] == before[i + M * j]);

  make(&t, M, 4, 29);
  make(&indices, 1, 4, 30);
  const float picked[] = {6, 0, -2, 9};
  memcpy(indices.host, picked, sizeof picked);
  OK(copy_to_device(&indices.mat));
  OK(selectRows(&a.mat, &t.mat, &indices.mat));
  got = values(&t);
  for (int i = 0; i < M; ++i) {
    EXPECT(got[i] == before[i + M * 6] && got[i + M] == before[i]);
    EXPECT(got[i + 2 * M] == before[i + M * 5] && isnan(got[i + 3 * M]));
  }
  OK(assign_scalar(&t.mat, 8));
  OK(setSelectedRows(&a.mat, &t.mat, &indices.mat));
  got = values(&a);
  for (int k = 0; k < SIZE; ++k) {
    const int column = k / M;
    EXPECT(got[k] == (column == 6 || column == 0 || column == 5 ? 8 : before[k]));
  }
  release(&a);
  release(&rows);
  release(&turned);
  release(&t);
  release(&indices);
}

static void test_memory(void) {
  cudamat mat;
  OK(init_empty(&mat, 6, 4));
  EXPECT(mat.on_device && !mat.on_host && mat.owns_data && !mat.is_trans && mat.data_device);
  const float* memory = mat.data_device;
  OK(allocate_device_memory(&mat)); /* has it already */
  EXPECT(mat.data_device == memory);
  OK(reshape(&mat, 3, 8));
  EXPECT(mat.size[0] == 3 && mat.size[1] == 8);
  EXPECT(reshape(&mat, 3, 7) == CUDAMAT_ERROR_INCOMPATIBLE_DIMENSIONS);
  cudamat copy = mat;
  OK(free_device_memory(&mat));
  EXPECT(!mat.on_device && mat.data_device == NULL);
  OK(free_device_memory(&mat));
  EXPECT(assign_scalar(&mat, 1) == CUDAMAT_ERROR_NOT_ON_DEVICE);
  EXPECT(free_device_memory(&copy) == CUDAMAT_ERROR_GENERIC); /* the second of two copies */
  OK(allocate_device_memory(&mat));
  OK(assign_scalar(&mat, 1));
  EXPECT(copy_to_host(&mat) == CUDAMAT_ERROR_GENERIC); /* no host memory */
  /* Whatever the size says by now, what was allocated is freed. */
  mat.size[0] = 1;
  OK(free_device_memory(&mat));
  mat.owns_data = 0;
  EXPECT(allocate_device_memory(&mat) == CUDAMAT_ERROR_VIEW);
}

static void test_random(void) {
  rnd_struct rnd;
  Matrix a, b;
  make(&a, M, N, 31);
  make(&b, M, N, 32);
  OK(init_random(&rnd, 7, "no such file"));
  OK(fill_with_rand(&rnd, &a.mat));
  OK(init_random(&rnd, 7, NULL));
  OK(fill_with_rand(&rnd, &b.mat));
  values(&a);
  values(&b);
  for (int k = 0; k < SIZE; ++k) EXPECT(a.host[k] == b.host[k] && a.host[k] > 0 && a.host[k] <= 1);
  OK(fill_with_rand(&rnd, &b.mat)); /* the stream goes on */
  EXPECT(memcmp(values(&b), a.host, sizeof a.host) != 0);
  OK(fill_with_randn(&rnd, &a.mat));
  double squares = 0;
  values(&a);
  for (int k = 0; k < SIZE; ++k) squares += (double)a.host[k] * a.host[k];
  EXPECT(squares > SIZE * 0.4 && squares < SIZE * 2.2);
  release(&a);
  release(&b);
}

/* ---- errors ---- */

static void test_errors(void) {
  Matrix a, b;
  make(&a, M, N, 33);
  make(&b, N, M, 34);
  EXPECT(add_elementwise(&a.mat, &b.mat, &a.mat) == CUDAMAT_ERROR_INCOMPATIBLE_DIMENSIONS);
  EXPECT(strcmp(get_last_cuda_error(), "[add] val must be 5x7 to match mat; got 7x5") == 0);
  EXPECT(strcmp(get_last_clib_error(), get_last_cuda_error()) == 0);
  EXPECT(add_elementwise(&a.mat, NULL, &a.mat) == CUDAMAT_ERROR_GENERIC);
  EXPECT(strcmp(get_last_cuda_error(), "[add_elementwise] val is a null pointer") == 0);
  EXPECT(max_by_axis(&a.mat, &b.mat, 2) == CUDAMAT_ERROR_INCOMPATIBLE_DIMENSIONS); /* as axis 1 */
  EXPECT(get_leading_dimension(NULL) == CUDAMAT_ERROR_GENERIC);
  release(&b);
  EXPECT(init_empty(&b.mat, -1, 2) == CUDAMAT_ERROR_INCOMPATIBLE_DIMENSIONS && !b.mat.on_device);
  EXPECT(cuda_set_device(999) == CUDAMAT_ERROR_CUDA);
  int err = 0;
  EXPECT(euclid_norm(NULL, &err) == -1 && err == CUDAMAT_ERROR_GENERIC);
  set_transpose(NULL, 1);
  init_from_array(NULL, NULL, 1, 1);
  release(&a);
}

/* ---- a program ---- */

/* Gradient descent on a logistic unit, beside the same in plain loops. */
static void test_training(void) {
  enum { STEPS = 20 };
  Matrix data, labels, weights, out;
  make(&data, M, N, 35); /* a case in each column */
  make(&labels, 1, N, 36);
  make(&weights, M, 1, 37);
  make(&out, 1, N, 38);
  OK(greater_than_scalar(&labels.mat, 0, &labels.mat));
  values(&labels);
  double w[M];
  for (int i = 0; i < M; ++i) w[i] = weights.host[i];
  double first = 0, last = 0;
  for (int step = 0; step < STEPS; ++step) {
    cudamat turned = weights.mat, data_turned = data.mat;
    turned.is_trans = data_turned.is_trans = 0;
    set_transpose(&turned, 1);
    cudamat error, error_turned;
    OK(dot(&turned, &data.mat, &out.mat, 0, 1));
    OK(apply_sigmoid(&out.mat, &out.mat));
    OK(init_empty(&error, 1, N));
    OK(subtract_elementwise(&out.mat, &labels.mat, &error));
    error_turned = error;
    set_transpose(&error_turned, 1);
    OK(dot(&data_turned, &error_turned, &weights.mat, 1, -0.1f));
    int err = 0;
    last = euclid_norm(&error, &err);
    if (step == 0) first = last;
    OK(free_device_memory(&error));

    double gradient[M] = {0};
    for (int j = 0; j < N; ++j) {
      double z = 0;
      for (int i = 0; i < M; ++i) z += w[i] * data.host[i + M * j];
      for (int i = 0; i < M; ++i)
        gradient[i] += (sigmoid_of(z) - labels.host[j]) * data.host[i + M * j];
    }
    for (int i = 0; i < M; ++i) w[i] -= 0.1 * gradient[i];
  }
  const float* got = values(&weights);
  for (int i = 0; i < M; ++i) EXPECT(fabs(got[i] - w[i]) < 1e-5);
  EXPECT(last < first);
  release(&data);
  release(&labels);
  release(&weights);
  release(&out);
}

int main(void) {
  EXPECT(strcmp(get_last_cuda_error(), "no error") == 0);
  OK(cublas_init());
  OK(cuda_set_device(0));
  test_computing();
  test_slices();
  test_memory();
  test_random();
  test_errors();
  test_training();
  cuda_sync_threads();

  Matrix outlives;
  make(&outlives, M, N, 39);
  OK(cublas_shutdown());
  OK(mult_by_scalar(&outlives.mat, 2, &outlives.mat));
  release(&outlives);
  printf("%d checks, %d failed\n", checks, failures);
  return failures != 0 || checks < 1000;
}
