// Where the arrays of a printed module lie: whose memory is whose, in which order and at which
// place.
#pragma once

#include "rewriter/emit/print.hpp"

namespace rewriter::emit {

bool is_vector(cudamat::Shape shape);

/// Of a list without fused statements.
struct ArrayLayout {
  /// What is known of a variable that owns memory.
  struct Owner {
    bool is_input = false;
    bool is_result = false;  ///< an output that is returned as it is
    bool is_written = false;
    bool needs_columns = false;  ///< a view of it depends on the order of its elements in memory
    Index offset = 0;            ///< in the block, in elements
  };

  Table<Owner> owners;      ///< by variable
  Table<Var> all_of;        ///< of a view that is only reduced as a whole: the matrix; else kNoVar
  bool by_columns = false;  ///< how arrays lie, but for inputs: column by column, as in Cudamat
  bool has_block = false;   ///< temporaries lie in a block
  Index block = 0;          ///< its elements

  [[nodiscard]] bool is_by_columns(Var owner) const {
    return (by_columns && !owners[owner].is_input) || owners[owner].needs_columns;
  }
  [[nodiscard]] bool is_in_block(Var var) const { return has_block && !owners[var].is_result; }
};

ArrayLayout array_layout(const StatementList& list, ArrayLibrary library, int bytes_per_element);

}  // namespace rewriter::emit
