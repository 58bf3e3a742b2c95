// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/text_decoder.h"

#include <gtest/gtest.h>

#include <string>

namespace adarun::monitor {
namespace {

enum class Order { little, big };

std::string utf16(const std::u16string& text, Order order) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xff);
    const char high = static_cast<char>(unit >> 8);
    bytes += order == Order::little ? low : high;
    bytes += order == Order::little ? high : low;
  }
  return bytes;
}

std::string decoded(const std::string& bytes, std::size_t piece) {
  TextDecoder decoder;
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    text += decoder.read(std::string_view(bytes).substr(at, piece));
  return text;
}

const std::u16string wide = u"\ufeffiter 0: loss 4.0\r\n\u6b65 \u00e9 \U0001f600\n";
const std::string narrow = "iter 0: loss 4.0\r\n\xe6\xad\xa5 \xc3\xa9 \xf0\x9f\x98\x80\n";

TEST(TextDecoder, ReadsUtf16InPiecesOfAnySize) {
  for (const Order order : {Order::little, Order::big})
    for (std::size_t piece = 1; piece < 90; ++piece)
      EXPECT_EQ(decoded(utf16(wide, order), piece), narrow) << piece;
}

TEST(TextDecoder, ReadsUtf16WithoutAMark) {
  for (const Order order : {Order::little, Order::big})
    for (const std::size_t piece : {1U, 2U, 3U, 1000U})
      EXPECT_EQ(decoded(utf16(wide.substr(1), order), piece), narrow) << piece;
}

TEST(TextDecoder, LeavesOutTheMarkOfUtf8) {
  for (std::size_t piece = 1; piece < 9; ++piece)
    EXPECT_EQ(decoded("\xef\xbb\xbfloss: 2\n", piece), "loss: 2\n");
}

TEST(TextDecoder, PassesOnAllOtherBytes) {
  const std::string bytes("a\xff\xfe\xef\xbb\xbf\n");
  for (const std::string& text : {"loss: 2\n" + bytes, bytes, std::string("it"), std::string("\xffx\n")})
    for (const std::size_t piece : {1U, 3U, 100U}) EXPECT_EQ(decoded(text, piece), text);
  TextDecoder decoder;
  EXPECT_EQ(decoder.read(""), "");
  EXPECT_EQ(decoder.read("\xef\xbb\xbfloss"), "loss");
}

TEST(TextDecoder, ReadsUtf16ThatPowerShellAppends) {
  const std::u16string appended = u"iter 1: loss 3.0\r\n";
  for (const std::size_t piece : {1U, 2U, 7U, 1000U})
    EXPECT_EQ(decoded("iter 0: loss 4.0\n" + utf16(appended, Order::little), piece),
              "iter 0: loss 4.0\niter 1: loss 3.0\r\n");
}

TEST(TextDecoder, ReplacesHalfOfAPair) {
  const std::u16string halves{0xfeff, u'a', 0xd83d, u'b', 0xde00, u'c'};
  EXPECT_EQ(decoded(utf16(halves, Order::little), 100),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd"
            "c");
}

}  // namespace
}  // namespace adarun::monitor
