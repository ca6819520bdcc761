#include "cudamat/kernels/report.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <simt_host.h>
#include <sstream>

namespace cudamat::kernels {
namespace {

using simt::Fault;
using simt::Memory;
using simt::Touch;

std::string triple(Index x, Index y, Index z) {
  return fmt::format("({},{},{})", x, y, z);
}
std::string triple(const uint3& v) {
  return triple(v.x, v.y, v.z);
}
std::string triple(const Extent3& v) {
  return triple(v.x, v.y, v.z);
}

std::string thread_text(const uint3& block, const uint3& thread) {
  return fmt::format("thread {} of block {}", triple(thread), triple(block));
}

uint3 unravelled(Index number, const Extent3& extent) {
  return {static_cast<unsigned>(number % extent.x),
          static_cast<unsigned>(number / extent.x % extent.y),
          static_cast<unsigned>(number / extent.x / extent.y)};
}

const char* verb(Touch what) {
  return what == Touch::kRead ? "reads" : what == Touch::kWrite ? "writes" : "updates atomically";
}
const char* participle(Touch what) {
  return what == Touch::kRead ? "read" : what == Touch::kWrite ? "written" : "updated atomically";
}

class Writer {
 public:
  Writer(const Report& about, const Fault& fault, const simt::Failed& failed)
      : about_(about), fault_(fault), failed_(failed) {}

  std::string run() {
    const std::string who = thread_text(failed_.where.block, failed_.where.thread);
    switch (fault_.kind) {
      case Fault::Kind::Outside:
        head("access out of bounds");
        line(fault_.place, fmt::format("{} {}", who, outside()));
        break;
      case Fault::Kind::Misaligned:
        head("misaligned access");
        line(fault_.place,
             fmt::format("{} {} {} bytes at {}, whose address is not a multiple of {}", who,
                         verb(fault_.what), fault_.bytes, element(), fault_.bytes));
        text_ += "a GPU ends the launch, too: misaligned address\n";
        break;
      case Fault::Kind::NeverWritten:
        head("memory that was never written");
        line(fault_.place,
             fmt::format("{} {} {}, which {} has written", who, verb(fault_.what), element(),
                         is_shared() ? "no thread of the block" : "nothing"));
        if (is_shared() && fault_.what == Touch::kRead)
          text_ +=
              "if another thread writes it later, a __syncthreads() is missing between the two\n";
        break;
      case Fault::Kind::Race:
        race(who);
        break;
      case Fault::Kind::Overflow:
        head("stack overflow");
        line(fault_.place,
             fmt::format("{} needs more than the {} KiB that a thread has", who, simt_stack_kib()));
        break;
      case Fault::Kind::Interrupted:
        head("interrupted");
        line(fault_.place, fmt::format("{} runs here", who));
        break;
      default:
        head("");
        text_of_failure(who);
    }
    text_ += fmt::format("launched with block {}, grid {}", triple(about_.launch.block),
                         triple(about_.launch.grid));
    if (about_.launch.shared_bytes != 0)
      text_ += fmt::format(", shared_bytes {}", about_.launch.shared_bytes);
    return text_;
  }

 private:
  static int simt_stack_kib() { return 256; }

  void head(const char* what) {
    if (*what != '\0') text_ += fmt::format("{}\n", what);
  }

  [[nodiscard]] std::string source_line(int number) const {
    std::istringstream lines(about_.program.text);
    std::string found;
    for (int i = 0; i < number; ++i)
      if (!std::getline(lines, found)) return "";
    return found;
  }

  void line_number(int number, const std::string& what) {
    if (number == 0) {
      text_ += what + '\n';
      return;
    }
    text_ += fmt::format("{}:{}: {}\n", about_.program.file, number, what);
    text_ += fmt::format("{:5} | {}\n", number, source_line(number));
  }
  void line(std::uint32_t place, const std::string& what) {
    line_number(about_.program.library.line_of(place, about_.program.file), what);
  }

  [[nodiscard]] bool has_memory() const { return fault_.memory >= 0; }
  [[nodiscard]] const MemoryName& name() const {
    static const MemoryName of_heap{"memory of malloc", 0, {}, {}, false, false};
    const auto number = static_cast<std::size_t>(fault_.memory);
    return number < about_.names.size() ? about_.names[number] : of_heap;
  }
  [[nodiscard]] bool is_shared() const {
    return has_memory() && fault_.memory_kind == Memory::Kind::Shared;
  }
  [[nodiscard]] std::ptrdiff_t element_bytes() const {
    const std::size_t bytes = name().element != 0 ? name().element : fault_.bytes;
    return static_cast<std::ptrdiff_t>(std::max<std::size_t>(bytes, 1));
  }

  /// "a[5]", "tile[3][0]", "byte 7 of a"; a matrix has "x[25] (row 5, column 1)".
  [[nodiscard]] std::string element() const {
    if (!has_memory()) return fmt::format("address {}", fault_.address);
    const std::ptrdiff_t bytes = element_bytes();
    if (fault_.offset % bytes != 0) return fmt::format("byte {} of {}", fault_.offset, name().name);
    const Index index = fault_.offset / bytes;
    const bool inside = index >= 0 && index * bytes < Index(fault_.memory_bytes);
    if (!inside || (name().extents.size() < 2 && !name().is_matrix))
      return fmt::format("{}[{}]", name().name, index);
    if (name().is_matrix)
      return fmt::format("{}[{}] (row {}, column {})", name().name, index,
                         index % name().shape.rows, index / name().shape.rows);
    std::string subscripts;
    Index rest = index;
    for (auto extent = name().extents.rbegin(); extent != name().extents.rend(); ++extent) {
      subscripts.insert(0, fmt::format("[{}]", rest % *extent));
      rest /= *extent;
    }
    return name().name + subscripts;
  }

  [[nodiscard]] std::string outside() const {
    if (!has_memory())
      return fmt::format("{} address {}, which is in no array that the kernel was given",
                         verb(fault_.what), fault_.address);
    const MemoryName& what = name();
    const Index count = Index(fault_.memory_bytes) / element_bytes();
    std::string has = what.is_dynamic && count == 0
                          ? "the launch gives it no memory: shared_bytes is 0"
                          : fmt::format("it has {} element{}", count, count == 1 ? "" : "s");
    if (what.is_matrix) has += fmt::format(" ({})", what.shape);
    if (what.extents.size() > 1) {
      has += " (";
      for (const Index extent : what.extents) has += fmt::format("[{}]", extent);
      has += ')';
    }
    const bool begins_inside =
        fault_.offset >= 0 && std::size_t(fault_.offset) < fault_.memory_bytes;
    if (begins_inside)
      return fmt::format("{} {} bytes from {} on; {}", verb(fault_.what), fault_.bytes, element(),
                         has);
    return fmt::format("{} {}; {}", verb(fault_.what), element(), has);
  }

  void race(const std::string& who) {
    const Fault::Other& other = fault_.other;
    const uint3 block = unravelled(static_cast<Index>(other.block), about_.launch.grid);
    const uint3 thread = unravelled(other.thread, about_.launch.block);
    const bool same_block = triple(block) == triple(failed_.where.block);
    head("race");
    line(fault_.place, fmt::format("{} {} {}", who, verb(fault_.what), element()));
    line(other.place,
         fmt::format("{} has {} it", thread_text(block, thread), participle(other.what)));
    if (same_block)
      text_ +=
          "between the two the threads meet at no __syncthreads(), nor, as lanes of a warp, "
          "at a __syncwarp()\n";
    else
      text_ +=
          "blocks run in any order, and at once: atomic operations order them, or a launch of "
          "its own\n";
  }

  /// The executor's text has "(kernel.cu:12)" in it.
  void text_of_failure(const std::string& who) {
    const std::string what = failed_.what();
    const std::string before = "(" + about_.program.file + ":";
    const std::size_t at = what.find(before);
    int number = at == std::string::npos ? 0 : std::atoi(what.c_str() + at + before.size());
    const HostLibrary& library = about_.program.library;
    if (number == 0 && library.has_code(failed_.instruction))
      number = library.line_of(library.place_of(failed_.instruction), about_.program.file);
    const char* const colon = failed_.instruction == nullptr ? ":" : "";
    line_number(number, fmt::format("{}{} {}", who, colon, what));
  }

  const Report& about_;
  const Fault& fault_;
  const simt::Failed& failed_;
  std::string text_;
};

}  // namespace

std::string report(const Report& about, const simt::Fault& fault, const simt::Failed& failed) {
  return Writer(about, fault, failed).run();
}

}  // namespace cudamat::kernels
