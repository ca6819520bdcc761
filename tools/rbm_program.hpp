// The text of tools/examples/rbm.py, put into the binary when it is built.
#pragma once

namespace rbm {

extern const char* const kProgram;

}  // namespace rbm
