// What the command lines of the tools share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tools {

/// To be called first. Where a standard stream is closed no file of the program takes its place,
/// and a limit of the size of files is an error of the write that meets it, and no signal.
void prepare_streams();

/// What is wrong with the text of an option that counts from 0; empty if nothing. CLI11 would wrap
/// -1.
std::string whole_number(const std::string& text);
/// The same of an option that counts from 1.
std::string positive_number(const std::string& text);

/// The precision where no option says it: GNUMPY_CPU_PRECISION, or 32. Throws CLI::ValidationError.
int default_precision();

/// Says on the standard streams what settled the command line (--help, --version, an error).
/// Returns the exit status: 0, or 2.
int settle(const CLI::App& app, const CLI::ParseError& error);

/// To standard output, at once. Throws CUDAMatException if that fails: a full disk or a closed pipe
/// must not pass for success.
void write_out(const std::string& text);

}  // namespace tools
