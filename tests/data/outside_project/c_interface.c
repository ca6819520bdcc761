/* The C interface from C, both libraries, against numbers worked out by hand. */
#include <stdio.h>

#include "cudamat/capi/cudamat.h"

int main(void) {
  float a[] = {1, 3, 2, 4}; /* column-major: 1 2 / 3 4 */
  float b[] = {5, 7, 6, 8}; /*               5 6 / 7 8 */
  float got[4] = {0};
  float acts[] = {1, 2, -1, 0.5F};
  /* The product is 19 22 / 43 50; acts (1 - acts) is 0, -2, -2, 0.25. */
  const float by_hand[] = {0, -86, -44, 12.5F};
  cudamat left, right, factors, product;
  init_from_array(&left, a, 2, 2);
  init_from_array(&right, b, 2, 2);
  init_from_array(&factors, acts, 2, 2);
  int status = init_empty(&product, 2, 2);
  if (!status) status = copy_to_device(&left);
  if (!status) status = copy_to_device(&right);
  if (!status) status = copy_to_device(&factors);
  if (!status) status = dot(&left, &right, &product, 0, 1);
  if (!status) status = mult_by_sigmoid_deriv(&product, &factors);
  product.data_host = got;
  if (!status) status = copy_to_host(&product);
  if (status) {
    printf("%s\n", get_last_cuda_error());
    return 1;
  }
  int wrong = 0;
  for (int k = 0; k < 4; ++k) wrong += got[k] != by_hand[k];
  puts(wrong ? "wrong numbers" : "as by hand");
  return wrong != 0;
}
