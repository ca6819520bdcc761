/* The C interface of Cudamat: libcudamat.so and libcudalearn.so.
 *
 * The functions, struct layouts and status codes are those of the original library, so that its
 * Python package and programs written for it run unchanged. They compute float32 matrices in
 * column-major order, on the GPU or on the CPU.
 *
 * Engine    Chosen at the first call that needs one, by the environment variable GNUMPY_USE_GPU:
 *           `yes` the GPU (without one every such call fails with CUDAMAT_ERROR_CUDA), `no` the
 *           CPU, `auto` or nothing the GPU if there is one; auto says on stderr what it took. Any
 *           other value fails as `yes` without a GPU does. "Device" below is the engine's memory.
 * Status    0, or one of the codes below; then nothing was written, save what a failing CUDA call
 *           left. The text of a thread's last failure is kept: get_last_cuda_error(). A null
 *           pointer, a wrong axis or an impossible size never makes a function crash; a wild
 *           pointer does.
 * Memory    A struct made by init_empty or init_from_array owns its device memory: init_empty,
 *           allocate_device_memory and copy_to_device allocate it, free_device_memory frees it. A
 *           slice is a view: its memory is that of its matrix, which must live as long. Host memory
 *           is always the caller's.
 * Transpose A struct's size is that of its memory; with is_trans set (it is flagged) it is the
 *           transpose. Only dot and the two get_..._dimension read the flag so. All other calls
 *           take memory as it lies, and sizes are compared as they are stored; some do not accept
 *           flags:
 *             CUDAMAT_ERROR_INCOMPATIBLE_TRANSPOSEDNESS
 *                 two matrices of which one is flagged: in add_, subtract_, mult_ and
 *                 divide_elementwise, less_than, greater_than, equals, minimum, maximum (whatever
 *                 the target is), vdot, add_mult; sign, less_than_scalar and its four kin (mat and
 *                 target)
 *             CUDAMAT_ERROR_TRANSPOSED
 *                 a flagged mat of the calls with a vector and over an axis, a flagged source of
 *                 get_slice and get_vector_slice; two of which one is flagged in
 *                 mult_by_sigmoid_deriv; a flagged target of dot that is not a vector
 * Aliasing  The target of an element-wise call may be one of its operands. Every other target needs
 *           memory of its own. Other overlaps return CUDAMAT_ERROR_GENERIC.
 * NaN       As in NumPy: it propagates, through min and max too; comparisons with it give 0.
 * Order     Calls take effect in the order made; only copies to and from the host, vdot, the norms
 *           and cuda_sync_threads wait for a GPU.
 * Threads   All functions may be called from any thread; one struct is for one thread at a time.
 *           The stream of random numbers is one for all.
 */
#ifndef CUDAMAT_CAPI_CUDAMAT_H
#define CUDAMAT_CAPI_CUDAMAT_H

/* In C++ `cudamat` is the namespace of the C++ interface, and the struct has another name. */
#ifdef __cplusplus
#define CUDAMAT_STRUCT cudamat_struct
#define CUDAMAT_NOEXCEPT noexcept
extern "C" {
#else
#define CUDAMAT_STRUCT cudamat
#define CUDAMAT_NOEXCEPT
#endif

enum cudamat_status {
  CUDAMAT_OK = 0,
  CUDAMAT_ERROR_INCOMPATIBLE_DIMENSIONS = -1,
  CUDAMAT_ERROR_CUBLAS = -2, /* also: no memory on the device */
  CUDAMAT_ERROR_CUDA = -3,   /* also: cuRAND; no GPU where one was asked for */
  CUDAMAT_ERROR_VIEW = -4,   /* memory would be allocated for a view */
  CUDAMAT_ERROR_TRANSPOSED = -5,
  CUDAMAT_ERROR_GENERIC = -6, /* also: a null pointer, an illegal overlap */
  CUDAMAT_ERROR_INCOMPATIBLE_TRANSPOSEDNESS = -7,
  CUDAMAT_ERROR_NOT_ON_DEVICE = -8,
  CUDAMAT_ERROR_UNSUPPORTED = -9, /* max of nothing */
  CUDAMAT_ERROR_FILE_OPEN = -10,  /* the original's: never returned */
  CUDAMAT_ERROR_FILE_SCAN = -11   /* the original's: never returned */
};

/* A matrix of size[0] x size[1] floats. Element (i, j) is at data_device[i + size[0] * j]. */
typedef struct CUDAMAT_STRUCT {
  float* data_host;
  float* data_device;
  int on_device; /* data_device is valid */
  int on_host;   /* data_host is valid; kept for the caller, never read here */
  int size[2];
  int is_trans;
  int owns_data;
} CUDAMAT_STRUCT;

/* Opaque, and unused: the stream of random numbers is the engine's. */
typedef struct rnd_struct {
  unsigned int* dev_mults;
  unsigned long long* dev_words;
} rnd_struct;

/* ---- errors ---- */

/* The text of this thread's last failure, "no error" before the first: what failed, with the shapes
 * and what would be right. Valid until the thread's next failure. Both are the same text. */
const char* get_last_cuda_error(void) CUDAMAT_NOEXCEPT;
const char* get_last_clib_error(void) CUDAMAT_NOEXCEPT;

/* ---- device ---- */

/* Starts the engine now; the first call that computes does so by itself. */
int cublas_init(void) CUDAMAT_NOEXCEPT;
/* Waits, and gives back the engine's handles and cached memory. Matrices stay valid and may be used
 * and freed afterwards. */
int cublas_shutdown(void) CUDAMAT_NOEXCEPT;
/* The calling thread computes on this device; the CPU is device 0. CUDAMAT_ERROR_CUDA if there is
 * no such device. */
int cuda_set_device(int device) CUDAMAT_NOEXCEPT;
void cuda_sync_threads(void) CUDAMAT_NOEXCEPT;

/* ---- random numbers ---- */

/* Seeds the stream (Philox4x32-10) and starts it anew. `path` named a file of multipliers of the
 * original's generator; it is not read and may be null. rnd must not be null, here and below, but
 * need not have been through init_random: the stream then has the seed 0. */
int init_random(rnd_struct* rnd, int seed, const char* path) CUDAMAT_NOEXCEPT;
int fill_with_rand(rnd_struct* rnd, CUDAMAT_STRUCT* mat) CUDAMAT_NOEXCEPT;  /* uniform on (0, 1] */
int fill_with_randn(rnd_struct* rnd, CUDAMAT_STRUCT* mat) CUDAMAT_NOEXCEPT; /* standard normal */

/* ---- life and memory ---- */

/* Fills the struct, whatever it held: a matrix with uninitialised memory on the device. */
int init_empty(CUDAMAT_STRUCT* mat, int m, int n) CUDAMAT_NOEXCEPT;
/* Fills the struct: a matrix on the host only, whose m x n column-major numbers are at `data`. */
void init_from_array(CUDAMAT_STRUCT* mat, float* data, int m, int n) CUDAMAT_NOEXCEPT;
/* Nothing if there is memory already. */
int allocate_device_memory(CUDAMAT_STRUCT* mat) CUDAMAT_NOEXCEPT;
/* Nothing for views and for matrices that are not on the device. Of several copies of an owning
 * struct one may free the memory; for the others it returns CUDAMAT_ERROR_GENERIC. */
int free_device_memory(CUDAMAT_STRUCT* mat) CUDAMAT_NOEXCEPT;
/* Between data_host and data_device, size[0] * size[1] numbers in the order of memory, the flag set
 * or not. copy_to_device allocates first if need be; into a view it writes in place. */
int copy_to_host(CUDAMAT_STRUCT* mat) CUDAMAT_NOEXCEPT;
int copy_to_device(CUDAMAT_STRUCT* mat) CUDAMAT_NOEXCEPT;

/* ---- shape ---- */

/* Rows and columns as the flag shows them; CUDAMAT_ERROR_GENERIC for a null pointer. */
int get_leading_dimension(CUDAMAT_STRUCT* mat) CUDAMAT_NOEXCEPT;
int get_nonleading_dimension(CUDAMAT_STRUCT* mat) CUDAMAT_NOEXCEPT;
void set_transpose(CUDAMAT_STRUCT* mat, int is_trans) CUDAMAT_NOEXCEPT;
/* The same memory as m x n, of the same product; the flag stays. */
int reshape(CUDAMAT_STRUCT* mat, unsigned int m, unsigned int n) CUDAMAT_NOEXCEPT;

/* ---- slices, copies, selections: an empty slice returns
 * CUDAMAT_ERROR_INCOMPATIBLE_DIMENSIONS ---- */

/* Fills the struct `view`, which must not be `source`: the columns [first_col, last_col). */
int get_slice(CUDAMAT_STRUCT* source, CUDAMAT_STRUCT* view, unsigned int first_col,
              unsigned int last_col) CUDAMAT_NOEXCEPT;
/* Likewise, the elements [first, last) of an m x 1 or 1 x n vector; any other matrix returns
 * CUDAMAT_ERROR_GENERIC. */
int get_vector_slice(CUDAMAT_STRUCT* source, CUDAMAT_STRUCT* view, unsigned int first,
                     unsigned int last) CUDAMAT_NOEXCEPT;
/* target = the rows [start, end) of source */
int get_row_slice(CUDAMAT_STRUCT* source, CUDAMAT_STRUCT* target, unsigned int start,
                  unsigned int end) CUDAMAT_NOEXCEPT;
/* The rows [start, end) of target = source */
int set_row_slice(CUDAMAT_STRUCT* source, CUDAMAT_STRUCT* target, unsigned int start,
                  unsigned int end) CUDAMAT_NOEXCEPT;
int copy_on_device(CUDAMAT_STRUCT* source, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int copy_transpose(CUDAMAT_STRUCT* source, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
/* Column k of target = column indices[k] of source, which are the rows of the matrices as C lays
 * them out. indices is a vector, whose fractions are dropped; negative numbers count from the end,
 * and one out of range gives a column of NaN. Columns of target after those of the indices stay as
 * they are. */
int selectRows(CUDAMAT_STRUCT* source, CUDAMAT_STRUCT* target,
               CUDAMAT_STRUCT* indices) CUDAMAT_NOEXCEPT;
/* Column indices[k] of target = column k of source, in the order of k; an index out of range writes
 * nothing. source may have more columns than there are indices. */
int setSelectedRows(CUDAMAT_STRUCT* target, CUDAMAT_STRUCT* source,
                    CUDAMAT_STRUCT* indices) CUDAMAT_NOEXCEPT;

/* ---- with a vector: vec is m x 1 for _col_, 1 x n for _row_ ---- */

int add_col_vec(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* vec, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int add_col_mult(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* vec, CUDAMAT_STRUCT* target,
                 float mult) CUDAMAT_NOEXCEPT; /* mat + mult * vec */
int add_row_vec(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* vec, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int mult_by_col_vec(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* vec,
                    CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int mult_by_row_vec(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* vec,
                    CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int divide_by_col_vec(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* vec,
                      CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int divide_by_row_vec(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* vec,
                      CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;

/* ---- comparisons (1 or 0), minimum, maximum ---- */

int less_than(CUDAMAT_STRUCT* a, CUDAMAT_STRUCT* b, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int greater_than(CUDAMAT_STRUCT* a, CUDAMAT_STRUCT* b, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int equals(CUDAMAT_STRUCT* a, CUDAMAT_STRUCT* b, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int minimum(CUDAMAT_STRUCT* a, CUDAMAT_STRUCT* b, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int maximum(CUDAMAT_STRUCT* a, CUDAMAT_STRUCT* b, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int less_than_scalar(CUDAMAT_STRUCT* mat, float val, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int greater_than_scalar(CUDAMAT_STRUCT* mat, float val, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int equals_scalar(CUDAMAT_STRUCT* mat, float val, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int minimum_scalar(CUDAMAT_STRUCT* mat, float val, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int maximum_scalar(CUDAMAT_STRUCT* mat, float val, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;

/* ---- over an axis: 0 down the columns (target 1 x n), any other along the rows (m x 1) ---- */

int min_by_axis(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* target, int axis) CUDAMAT_NOEXCEPT;
int max_by_axis(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* target, int axis) CUDAMAT_NOEXCEPT;
int argmin_by_axis(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* target, int axis) CUDAMAT_NOEXCEPT;
int argmax_by_axis(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* target, int axis) CUDAMAT_NOEXCEPT;

/* ---- element-wise: target = f(mat) ---- */

int sign(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int apply_sigmoid(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int apply_tanh(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int apply_soft_threshold(CUDAMAT_STRUCT* mat, float alpha,
                         CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT; /* sign(x) max(|x| - alpha, 0) */
int apply_abs(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int apply_log_1_plus_exp(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int apply_log(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int apply_exp(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int apply_gamma(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int apply_lgamma(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int apply_sqrt(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int apply_pow(CUDAMAT_STRUCT* mat, float power, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int apply_pow_matrix(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* power,
                     CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int reciprocal(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;

/* ---- arithmetic ---- */

/* a += alpha * b */
int add_mult(CUDAMAT_STRUCT* a, CUDAMAT_STRUCT* b, float alpha) CUDAMAT_NOEXCEPT;
int add_elementwise(CUDAMAT_STRUCT* a, CUDAMAT_STRUCT* b, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int subtract_elementwise(CUDAMAT_STRUCT* a, CUDAMAT_STRUCT* b,
                         CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int mult_elementwise(CUDAMAT_STRUCT* a, CUDAMAT_STRUCT* b, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int divide_elementwise(CUDAMAT_STRUCT* a, CUDAMAT_STRUCT* b,
                       CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int assign_scalar(CUDAMAT_STRUCT* mat, float val) CUDAMAT_NOEXCEPT;
int mult_by_scalar(CUDAMAT_STRUCT* mat, float val, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int divide_by_scalar(CUDAMAT_STRUCT* mat, float val, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
int add_scalar(CUDAMAT_STRUCT* mat, float val, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
/* target = yes where cond is not 0, no elsewhere */
int where(CUDAMAT_STRUCT* cond, CUDAMAT_STRUCT* yes, CUDAMAT_STRUCT* no,
          CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;

/* ---- products and norms ---- */

/* target = beta * target + alpha * (m1 @ m2); with beta 0 the target is not read. A flagged target
 * must be a vector. A sum over an axis is a product with a vector of ones, and as accurate as a
 * pairwise sum: so is every product of a matrix and a vector. */
int dot(CUDAMAT_STRUCT* m1, CUDAMAT_STRUCT* m2, CUDAMAT_STRUCT* target, float beta,
        float alpha) CUDAMAT_NOEXCEPT;
/* Correlation with a kernel of odd size, no larger than mat, centred, zero padded. */
int correlate(CUDAMAT_STRUCT* mat, CUDAMAT_STRUCT* kernel, CUDAMAT_STRUCT* target) CUDAMAT_NOEXCEPT;
/* Numbers; the status goes to *err, unless err is null. After a failure vdot is 0, a norm -1. */
float vdot(CUDAMAT_STRUCT* m1, CUDAMAT_STRUCT* m2, int* err) CUDAMAT_NOEXCEPT;
float euclid_norm(CUDAMAT_STRUCT* mat, int* err) CUDAMAT_NOEXCEPT;
float manhattan_norm(CUDAMAT_STRUCT* mat, int* err) CUDAMAT_NOEXCEPT;

/* ---- libcudalearn.so ---- */

/* target *= acts * (1 - acts) */
int mult_by_sigmoid_deriv(CUDAMAT_STRUCT* target, CUDAMAT_STRUCT* acts) CUDAMAT_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
