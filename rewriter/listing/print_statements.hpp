// The printed statement list, which people read and parse_list.hpp parses.
#pragma once

#include <string>

#include "rewriter/list/statement.hpp"

namespace rewriter {

struct PrintOptions {
  int bytes_per_element = 4;  ///< 4: float32, 8: float64, 16: 80-bit long double
  bool colour = false;        ///< ANSI colours (statements only)
};

// clang-format off
/// The list for people, and a format that parse_list.hpp reads again.
///
///     # gradient.py as Cudamat statements, float32
///                                               #  shape        bytes       total
///     input x: (128, 784)                       #  128x784   +401,408     401,408
///     input z: (128, 784)                       #  128x784   +401,408     802,816
///
///     # 7: delta_o = -(x - z)
///     t1 = cm.empty((128, 784))                 #  128x784   +401,408   1,204,224
///     x.subtract(z, target=t1)                  #  128x784
///     delta_o = cm.empty((128, 784))            #  128x784   +401,408   1,605,632 <- peak
///     t1.mult(-1, target=delta_o)               #  128x784
///     t1.free_device_memory()                   #  128x784   -401,408   1,204,224
///
///     output delta_o: (128, 784)                #  128x784    401,408
///
///     # 5 statements: 2 calls, 2 allocations, 1 free
///     # peak 1,605,632 bytes (1.5 MiB), 802,816 of them inputs
///
/// One statement a line. What follows a `#` outside of quotes is a comment, which a reader may ignore
/// or compute anew, except for `# LINE: text` from the first column: the statements below it come
/// from that line of the source, up to the next such heading (`# -`: from no line). Statements are
///
///     input NAME [as VARIABLE]: DIMS         NumPy's dimensions; an array of n numbers is a 1xn
///     output VARIABLE [as NAME]: DIMS        matrix, a single number 1x1, one of more than two
///                                            dimensions in C order (last extent) x (the others).
///                                            `DIMS, transposed`: the transpose of that matrix.
///                                            A NAME that is not an identifier is quoted.
///     VARIABLE = cm.empty((ROWS, COLS))
///     VARIABLE = cm.CUDAMatrix(ARRAY)        np.array, np.full, np.zeros, np.ones or np.eye of
///                                            numbers, each of them printed
///     VARIABLE = VARIABLE.slice(FIRST, LAST)     a view of columns
///     VARIABLE = VARIABLE.view((ROWS, COLS))     the same memory in another shape
///     VARIABLE.free_device_memory()
///     cm.CUDAMatrix.init_random(SEED)
///     for NAME in range(START, STOP[, STEP]):    the statements of its body follow it, each
///                                            indented by two more spaces; `pass` if it has none
///     print("TEXT", NUMBERS)                 the text with a number for each {} and {:FORMAT}, as
///                                            Python's print(TEXT.format(NUMBERS), end="") has it; a
///                                            number is an INTEGER, or a VARIABLE that is 1x1, in
///                                            int() or bool() if NumPy holds such
///     VARIABLE.OP(ARGUMENTS)                 as the table of statement.hpp has them, but without
///     cm.OP(ARGUMENTS)                       mult=1 and beta=1 of updates, without alpha 1 of
///                                            add_mult and subtract_mult, and without the target
///                                            of a call that works in place on its first operand
///
/// FIRST, LAST, the integers of slices, the number of assign() and an INTEGER may depend on loops
/// around them, as a sum of a number and multiples of their variables: `128 * batch + 128`, `i - 1`.
///
/// The columns: the shape of the matrix that the line defines, writes or frees; the bytes that it
/// adds to the device's memory or takes from it, `view` if it shares another's; the bytes in use
/// after it, inputs included. `<- peak` is where they are most, the first time. The body of a loop
/// frees what it allocates, so that these hold in each of its iterations.
// clang-format on
std::string print_statements(const StatementList& list, const PrintOptions& options = {});

}  // namespace rewriter
