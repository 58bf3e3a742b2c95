// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/images/jpeg.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "tests/scratch_folder.h"
#include "tests/trainer/refusal.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/data/images/image_file.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;
using testing_data::refusal;

double distance(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) sum += std::abs(a.pixels[i] - b.pixels[i]);
  return sum / static_cast<double>(a.pixels.size());
}

/// A grey JPEG of 8x8 pixels in so many scans (ITU-T T.81, annex G: all bits of DC, then AC bit by bit).
std::string grey_in_scans(int scans) {
  const auto segment = [](char marker, const std::string& content) {
    return std::string{'\xff', marker, '\0', static_cast<char>(content.size() + 2)} + content;
  };
  const std::string one_code = std::string("\1", 1) + std::string(16, '\0');
  std::string bytes = "\xff\xd8" + segment('\xdb', std::string(1, '\0') + std::string(64, '\1')) +
                      segment('\xc2', std::string("\x8\0\x8\0\x8\1\1\x11\0", 9)) +
                      segment('\xc4', '\0' + one_code) + segment('\xc4', '\x10' + one_code);
  for (int i = 0; i < scans; ++i) {
    const auto coefficient = static_cast<char>(i == 0 ? 0 : 1 + (i - 1) / 14);
    const int bit = i == 0 ? 0 : 13 - (i - 1) % 14;
    const int before = i == 0 || bit == 13 ? 0 : bit + 1;
    bytes +=
        segment('\xda', {1, 1, 0, coefficient, coefficient, static_cast<char>(16 * before + bit)}) + '\x7f';
  }
  return bytes + "\xff\xd9";
}

TEST(Jpeg, IsReadWhenItIsProgressive) {
  const test::ScratchFolder folder;
  for (const int scans : {1, 10, 500})
    EXPECT_EQ(read_image(folder.write("a.jpg", grey_in_scans(scans))).pixels,
              std::vector<std::uint8_t>(192, 128));
}

TEST(Jpeg, IsReadWhereOnlyItsEndIsUntidy) {
  const test::ScratchFolder folder;
  const std::string good = grey_in_scans(1);
  const std::string untidy = good.substr(0, good.size() - 2) + "more" + "\xff\xd9";
  EXPECT_EQ(read_image(folder.write("a.jpg", untidy)).pixels, std::vector<std::uint8_t>(192, 128));
}

TEST(Jpeg, ComesBackNearlyAsItWas) {
  const test::ScratchFolder folder;
  const Image image = ColourDigits(DatasetPart::train, 1, 1, 60, true).picture(0);
  write_jpeg(image, 95, folder.path() / "a.jpg");
  const Image back = read_image(folder.path() / "a.jpg");
  ASSERT_EQ(back.rows, image.rows);
  ASSERT_EQ(back.columns, image.columns);
  EXPECT_LT(distance(back, image), 4);
}

/// What it is against the whole picture, resampled.
TEST(Jpeg, IsTheMeanOfItsPixelsAtAReducedScale) {
  const test::ScratchFolder folder;
  const Image image = ColourDigits(DatasetPart::train, 1, 1, 99, true).picture(0);
  write_jpeg(image, 95, folder.path() / "a.jpg");
  const Image whole = read_image(folder.path() / "a.jpg");
  for (const int divisor : {1, 2, 4, 8}) {
    const Image small =
        read_jpeg(open_to_read(folder.path() / "a.jpg").get(), "a.jpg", [&](const ImageSize& stored) {
          EXPECT_EQ(stored.rows, image.rows);
          EXPECT_EQ(stored.columns, image.columns);
          return divisor;
        });
    EXPECT_EQ(small.rows, (image.rows + divisor - 1) / divisor);
    EXPECT_EQ(small.columns, (image.columns + divisor - 1) / divisor);
    const Image wanted =
        resample(whole, {0, 0, double(divisor) * small.rows, double(divisor) * small.columns}, small.rows,
                 small.columns);
    EXPECT_LT(distance(small, wanted), 12) << divisor;
  }
}

TEST(ImageFile, GivesAPartAsItIsOfTheWholePicture) {
  const test::ScratchFolder folder;
  const Image image = ColourDigits(DatasetPart::train, 1, 1, 256, true).picture(0);
  write_jpeg(image, 95, folder.path() / "a.jpg");
  const Image whole = read_image(folder.path() / "a.jpg");
  const CropBox box{31, 17, 150, 140};
  for (const int side : {8, 16, 32, 64, 100, 200}) {
    const Image part = read_part(
        folder.path() / "a.jpg", [&](const ImageSize&) { return box; }, side);
    const Image wanted = resample(whole, box, side, side);
    ASSERT_EQ(part.rows, side);
    EXPECT_LT(distance(part, wanted), side > 70 ? 1e-9 : 10) << side;
  }
}

TEST(Jpeg, IsThreeChannelsOfAGreyOne) {
  const test::ScratchFolder folder;
  const Image grey = Digits(DatasetPart::train, 1).picture(3);
  write_jpeg(grey, 95, folder.path() / "a.jpg");
  const Image back = read_image(folder.path() / "a.jpg");
  ASSERT_EQ(back.channels, 3);
  EXPECT_EQ(back.at(14, 14, 0), back.at(14, 14, 2));
}

TEST(Jpeg, IsNotTurnedAsExifSays) {
  const test::ScratchFolder folder;
  write_jpeg(Image::black(20, 60, 3), 95, folder.path() / "a.jpg");
  const std::string exif("Exif\0\0II*\0\x8\0\0\0\x1\0\x12\x1\x3\0\x1\0\0\0\x6\0\0\0\0\0\0\0",
                         32);  // a quarter
  const std::string plain = test::content_of(folder.path() / "a.jpg");
  const Image back = read_image(
      folder.write("b.jpg", plain.substr(0, 2) + std::string("\xff\xe1\0\x22", 4) + exif + plain.substr(2)));
  EXPECT_EQ(back.rows, 20);
  EXPECT_EQ(back.columns, 60);
}

TEST(Jpeg, RefusesCorruptFilesByName) {
  const test::ScratchFolder folder;
  write_jpeg(ColourDigits(DatasetPart::train, 1, 1, 60, true).picture(0), 95, folder.path() / "good.jpg");
  const std::string good = test::content_of(folder.path() / "good.jpg");
  std::string flipped = good;
  flipped[good.size() / 2] = '\xff';
  flipped[good.size() / 2 + 1] = '\xd9';  // an end of image in the middle
  // Without any data, for which libjpeg's decoder returns an image of zeros.
  using namespace std::string_literals;
  const std::string arithmetic = "\xff\xd8\xff\xdb\0\x43\0"s + std::string(64, '\1') +
                                 "\xff\xc9\0\x0b\x08\0\x08\0\x08\1\1\x11\0"s +
                                 "\xff\xda\0\x08\1\1\0\0\x3f\0\xff\xd9"s;
  struct Case {
    const char* name;
    std::string bytes;
    const char* reason;
  };
  const Case cases[] = {{"empty.jpg", "", "Empty input file"},
                        {"text.jpg", "<html>not here</html>", "Not a JPEG file"},
                        {"png.jpg", "\x89PNG\r\n\x1a\n", "Read Error"},
                        {"scans.jpg", grey_in_scans(501), "more than 500 scans"},
                        {"arithmetic.jpg", arithmetic, "arithmetic coding"},
                        {"cut.jpg", good.substr(0, good.size() / 2), "Premature end"},
                        {"header.jpg", good.substr(0, 30), "Premature end"},
                        {"flipped.jpg", flipped, "premature end"}};
  for (const Case& wrong : cases) {
    const fs::path file = folder.write(wrong.name, wrong.bytes);
    const std::string message = refusal([&] { read_image(file); });
    EXPECT_TRUE(message.starts_with(file.string() + ": ")) << message;
    EXPECT_NE(message.find(wrong.reason), std::string::npos) << message;
  }
  EXPECT_NE(refusal([&] { read_image(folder.path() / "absent.jpg"); }), "accepted");
  ASSERT_EQ(mkfifo((folder.path() / "pipe.jpg").c_str(), 0600), 0);
  for (const fs::path& odd : {folder.path() / "pipe.jpg", folder.path()})
    EXPECT_EQ(refusal([&] { read_image(odd); }), odd.string() + ": not a regular file");
}

}  // namespace
}  // namespace adarun::trainer
