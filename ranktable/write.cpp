// SPDX-License-Identifier: Apache-2.0
#include "ranktable/write.h"

#include <unistd.h>

#include <cerrno>

#include "base/new_file.h"
#include "base/system_text.h"
#include "ranktable/json/writer.h"
#include "ranktable/model/error.h"
#include "ranktable/schemas/schemas.h"

namespace adarun::ranktable {
namespace {

template <typename SomeTable>
std::string written(const SomeTable& table) {
  JsonWriter out(JsonWriter::Format::reference);
  out.record(table);
  return out.take();
}

}  // namespace

std::string write(const Table& table) {
  return written(table);
}

std::string write(const AnyTable& table) {
  return std::visit([](const auto& each) { return written(each); }, table);
}

// A pipe cannot be synchronized.
void write_file(const std::filesystem::path& path, std::string_view text) {
  constexpr mode_t readable_and_writable = 0666;
  base::NewFile file(path, readable_and_writable);
  const bool written = file && file.write(text) &&
                       (::fsync(file.fd()) == 0 || errno == EINVAL || errno == EROFS) && file.put_in_place();
  if (!written) throw Error(path.string() + ": cannot be written: " + base::system_text(errno));
}

}  // namespace adarun::ranktable
