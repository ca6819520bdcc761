// The texts of tools/numpy_check.py and numpy_roundings.py, put into the binary when it is built.
#pragma once

namespace symdump {

extern const char* const kNumpyCheck;
extern const char* const kNumpyRoundings;

}  // namespace symdump
