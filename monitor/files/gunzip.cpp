// SPDX-License-Identifier: Apache-2.0
#include "monitor/files/gunzip.h"

#include <zlib.h>

#include <new>

#include "monitor/base/error.h"

namespace adarun::monitor {

struct Gunzip::Stream {
  z_stream z{};
  bool ended = false;  ///< One gzip member has ended; another may follow.
};

void Gunzip::Close::operator()(Stream* stream) const {
  inflateEnd(&stream->z);
  delete stream;  // NOLINT: what the unique_ptr owns
}

Gunzip::Gunzip() : stream_(new Stream) {
  constexpr int gzip_only = 16;
  if (inflateInit2(&stream_->z, gzip_only + MAX_WBITS) != Z_OK) throw std::bad_alloc();
}

std::size_t Gunzip::unpack(std::string_view packed, std::string& bytes, std::size_t max_bytes) {
  bytes.resize(max_bytes);
  z_stream& z = stream_->z;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // NOLINT: only read
  z.avail_in = static_cast<uInt>(packed.size());
  z.next_out = reinterpret_cast<Bytef*>(bytes.data());
  z.avail_out = static_cast<uInt>(max_bytes);
  while (z.avail_out > 0) {
    if (stream_->ended && z.avail_in == 0) break;
    if (stream_->ended) inflateReset(&z);
    stream_->ended = false;
    const int result = inflate(&z, Z_NO_FLUSH);
    if (result == Z_BUF_ERROR) break;
    if (result != Z_OK && result != Z_STREAM_END)
      throw Error(std::string("not gzip data, or damaged: ") + (z.msg == nullptr ? "wrong data" : z.msg));
    stream_->ended = result == Z_STREAM_END;
  }
  bytes.resize(max_bytes - z.avail_out);
  return packed.size() - z.avail_in;
}

}  // namespace adarun::monitor
