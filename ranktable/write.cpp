// SPDX-License-Identifier: Apache-2.0
#include "ranktable/write.h"

#include "ranktable/json/writer.h"
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

}  // namespace adarun::ranktable
