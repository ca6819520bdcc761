// The text of tools/numpy_check.py, put into the binary when it is built.
#pragma once

namespace symdump {

extern const char* const kNumpyCheck;

}  // namespace symdump
