"""What libcudamat.so and libcudalearn.so export: the functions of the original's interface, no more, no less.

usage: capi_symbols_test.py FOLDER-OF-THE-LIBRARIES HEADER
"""

import re
import subprocess
import sys
from pathlib import Path

SCALAR = "less_than greater_than equals minimum maximum"
CUDAMAT = set(f"""
    get_last_cuda_error get_last_clib_error cublas_init cublas_shutdown cuda_set_device cuda_sync_threads
    init_random get_leading_dimension get_nonleading_dimension set_transpose allocate_device_memory
    copy_to_host copy_to_device copy_on_device get_row_slice set_row_slice copy_transpose free_device_memory
    reshape get_slice get_vector_slice init_from_array init_empty fill_with_rand fill_with_randn
    add_col_vec add_row_vec mult_by_col_vec mult_by_row_vec divide_by_col_vec divide_by_row_vec add_col_mult
    {SCALAR} {' '.join(name + '_scalar' for name in SCALAR.split())}
    min_by_axis max_by_axis argmin_by_axis argmax_by_axis
    sign apply_sigmoid apply_tanh apply_abs apply_log_1_plus_exp apply_log apply_exp apply_gamma apply_lgamma
    apply_sqrt reciprocal apply_soft_threshold apply_pow apply_pow_matrix
    dot vdot add_mult add_elementwise subtract_elementwise mult_elementwise divide_elementwise
    assign_scalar mult_by_scalar divide_by_scalar add_scalar euclid_norm manhattan_norm
    selectRows setSelectedRows where correlate""".split())
CUDALEARN = {"mult_by_sigmoid_deriv"}


def exported(library):
    """Symbols that the library defines for others: (type, name)."""
    table = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True)
    return {tuple(line.split()[-2:]) for line in table.stdout.splitlines()}


def main():
    folder, header = Path(sys.argv[1]), Path(sys.argv[2]).read_text(encoding="utf-8")
    wrong = []
    for library, expected in (("libcudamat.so", CUDAMAT), ("libcudalearn.so", CUDALEARN)):
        found = exported(folder / library)
        names = {name for _, name in found}
        wrong += [f"{library} lacks {name}" for name in sorted(expected - names)]
        wrong += [f"{library} exports {name} as well" for name in sorted(names - expected)]
        wrong += [f"{library}: {name} is no function" for kind, name in sorted(found) if kind != "T"]
        print(f"{library}: {len(names)} functions")
    declared = set(re.findall(r"(\w+)\([^()]*\)\s*CUDAMAT_NOEXCEPT;", header))
    wrong += [f"the header does not agree: {name}" for name in sorted(declared ^ (CUDAMAT | CUDALEARN))]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
