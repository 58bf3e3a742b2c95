// SPDX-License-Identifier: Apache-2.0
// Data sets in files: CIFAR-10's binary one and folders of JPEG and PNG files.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <ranges>
#include <set>

#include "temp_folder.h"
#include "trainer/data/cifar10.h"
#include "trainer/data/image_file.h"
#include "trainer/data/image_folder.h"
#include "trainer/data/jpeg.h"
#include "trainer/data/tolerant.h"
#include "trainer/error.h"
#include "trainer/sets/drawn.h"
#include "trainer/sets/inspect.h"
#include "trainer/sets/write.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;
using testing_data::TempFolder;

/// What `call` throws.
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

/// The bytes of a file.
std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

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
  const TempFolder folder;
  for (const int scans : {1, 10, 500})
    EXPECT_EQ(read_image(folder.write("a.jpg", grey_in_scans(scans))).pixels,
              std::vector<std::uint8_t>(192, 128));
}

TEST(Jpeg, IsReadWhereOnlyItsEndIsUntidy) {
  const TempFolder folder;
  const std::string good = grey_in_scans(1);
  const std::string untidy = good.substr(0, good.size() - 2) + "more" + "\xff\xd9";
  EXPECT_EQ(read_image(folder.write("a.jpg", untidy)).pixels, std::vector<std::uint8_t>(192, 128));
}

TEST(Jpeg, ComesBackNearlyAsItWas) {
  const TempFolder folder;
  const Image image = sets::Drawn(Part::train, 1, 1, 60, true).picture(0);
  write_jpeg(image, 95, folder.path() / "a.jpg");
  const Image back = read_image(folder.path() / "a.jpg");
  ASSERT_EQ(back.rows, image.rows);
  ASSERT_EQ(back.columns, image.columns);
  EXPECT_LT(distance(back, image), 4);
}

TEST(Jpeg, IsThreeChannelsOfAGreyOne) {
  const TempFolder folder;
  const Image grey = Digits(Part::train, 1).picture(3);
  write_jpeg(grey, 95, folder.path() / "a.jpg");
  const Image back = read_image(folder.path() / "a.jpg");
  ASSERT_EQ(back.channels, 3);
  EXPECT_EQ(back.at(14, 14, 0), back.at(14, 14, 2));
}

TEST(Jpeg, IsNotTurnedAsExifSays) {
  const TempFolder folder;
  write_jpeg(Image::black(20, 60, 3), 95, folder.path() / "a.jpg");
  const std::string exif("Exif\0\0II*\0\x8\0\0\0\x1\0\x12\x1\x3\0\x1\0\0\0\x6\0\0\0\0\0\0\0",
                         32);  // a quarter
  const std::string plain = contents(folder.path() / "a.jpg");
  const Image back = read_image(
      folder.write("b.jpg", plain.substr(0, 2) + std::string("\xff\xe1\0\x22", 4) + exif + plain.substr(2)));
  EXPECT_EQ(back.rows, 20);
  EXPECT_EQ(back.columns, 60);
}

TEST(Jpeg, RefusesCorruptFilesByName) {
  const TempFolder folder;
  write_jpeg(sets::Drawn(Part::train, 1, 1, 60, true).picture(0), 95, folder.path() / "good.jpg");
  const std::string good = contents(folder.path() / "good.jpg");
  std::string flipped = good;
  flipped[good.size() / 2] = '\xff';
  flipped[good.size() / 2 + 1] = '\xd9';  // an end of image in the middle
  // Without any data, of which libjpeg's decoder makes an image of zeros.
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

TEST(Cifar10, ReadsWhatWasWritten) {
  const TempFolder folder;
  const sets::Drawn drawn(Part::train, 1, 23, 32, false);
  sets::write(drawn, 23, "cifar10", folder.path(), Part::train);
  const Cifar10 read(folder.path(), Part::train);
  ASSERT_EQ(read.size(), 23U);
  for (std::size_t i = 0; i < 23; ++i) {
    EXPECT_EQ(read.label(i), drawn.label(i));
    EXPECT_EQ(read.picture(i), drawn.picture(i));
  }
}

TEST(Cifar10, NormalizesEachChannel) {
  const TempFolder folder;
  std::string record(Cifar10::record_size, '\0');
  record[0] = 7;
  std::fill_n(record.begin() + 1, 1024, '\xff');
  folder.write("cifar-10-batches-bin/test_batch.bin", record);
  const Cifar10 data(folder.path(), Part::test);
  EXPECT_EQ(data.label(0), 7);
  std::vector<float> values(3 * 16 * 16);
  data.sample(0, {16}, values);
  EXPECT_FLOAT_EQ(values[0], (1 - 0.4914F) / 0.2023F);
  EXPECT_FLOAT_EQ(values[256], -0.4822F / 0.1994F);
  EXPECT_FLOAT_EQ(values.back(), -0.4465F / 0.2010F);
}

TEST(Cifar10, MovesAndMirrorsToLearnFrom) {
  const TempFolder folder;
  std::string record(Cifar10::record_size, '\0');
  record[1 + 10 * 32 + 5] = '\xff';  // one red pixel
  folder.write("test_batch.bin", record);
  const Cifar10 data(folder.path(), Part::test);
  std::vector<float> values(std::size_t{3} * 32 * 32);
  std::set<std::pair<int, int>> seen;
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    data.sample(0, {32, &random}, values);
    const auto at = std::ranges::max_element(values) - values.begin();
    seen.emplace(at / 32, at % 32);
  }
  // Nine rows; nine columns, and their mirror images.
  EXPECT_EQ(seen.size(), 9U * 18U);
  EXPECT_EQ(seen.begin()->first, 6);
  EXPECT_EQ(seen.rbegin()->first, 14);
  EXPECT_TRUE(seen.contains({10, 5}));
  EXPECT_TRUE(seen.contains({10, 31 - 5}));
}

TEST(Cifar10, RefusesWrongFilesByName) {
  const TempFolder folder;
  const auto open = [&] { Cifar10(folder.path(), Part::test); };
  EXPECT_NE(refusal(open).find("has no test_batch.bin"), std::string::npos);
  folder.write("test_batch.bin", std::string(3072, '\0'));
  EXPECT_NE(refusal(open).find("test_batch.bin: 3072 bytes, wanted records of 3073"), std::string::npos);
  folder.write("test_batch.bin", std::string(3073, '\0') + std::string(3073, '\x0a'));
  EXPECT_NE(refusal(open).find("record 1: label 10, wanted 0 to 9"), std::string::npos);
}

/// A folder of 20 images of 40 pixels or so to learn from.
void draw_folder(const TempFolder& folder) {
  sets::write(sets::Drawn(Part::train, 1, 20, 40, true), 20, "imagefolder", folder.path(), Part::train);
}

/// All files below `folder`, by name.
std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

TEST(ImageFolder, TakesClassesByTheirSortedNames) {
  const TempFolder folder;
  draw_folder(folder);
  const ImageFolder data(folder.path(), Part::train);
  ASSERT_EQ(data.size(), 20U);
  EXPECT_EQ(data.classes(), 10) << "also those of which there is no image";
  EXPECT_TRUE(std::ranges::is_sorted(std::views::iota(std::size_t{0}, data.size()) |
                                     std::views::transform([&](std::size_t i) { return data.label(i); })));
}

TEST(ImageFolder, GivesAnotherPartEachTimeToLearnFromAndTheMiddleToMeasureOn) {
  const TempFolder folder;
  draw_folder(folder);
  const ImageFolder data(folder.path(), Part::train);
  const auto view = [&](Random* random) {
    std::vector<float> values(std::size_t{3} * 24 * 24);
    data.sample(5, {24, random}, values);
    return values;
  };
  Random random(1);
  const auto first = view(&random);
  EXPECT_NE(view(&random), first);
  Random again(1);
  EXPECT_EQ(view(&again), first);
  EXPECT_EQ(view(nullptr), view(nullptr));
}

TEST(ImageFolder, TellsOfFilesThatItLeavesOut) {
  const TempFolder folder;
  draw_folder(folder);
  folder.write("train/class0003/.DS_Store", "");
  folder.write("train/.ipynb_checkpoints/1.JPEG", "");
  EXPECT_EQ(ImageFolder(folder.path(), Part::train).classes(), 10);
  EXPECT_EQ(ImageFolder(folder.path(), Part::train).note(), "");
  const std::string gif = folder.write("train/class0003/1.gif", "").string();
  const std::string of = "left out: 1 file in the folders of classes, not named .JPEG, .jpeg, .jpg or .png: ";
  EXPECT_EQ(ImageFolder(folder.path(), Part::train).note(), of + gif);
  folder.write("train/class0004/2.webp", "");
  folder.write("train/class0004/2.PNG", "");
  const ImageFolder data(folder.path(), Part::train);
  EXPECT_EQ(data.size(), 21U) << "the PNG too";
  EXPECT_TRUE(data.note().starts_with("left out: 2 files in the folders")) << data.note();
  EXPECT_TRUE(data.note().ends_with(gif + " and so on")) << data.note();
}

TEST(ImageFolder, RefusesWhatIsNoSuchFolder) {
  const TempFolder folder;
  const auto open = [&](Part part) { return refusal([&] { ImageFolder(folder.path(), part); }); };
  EXPECT_NE(open(Part::train).find("train: cannot be listed"), std::string::npos);
  folder.write("train/cat/readme.txt", "");
  EXPECT_NE(open(Part::train).find("has no .JPEG"), std::string::npos);
  EXPECT_NE(open(Part::test).find("has no folder validation_preprocess"), std::string::npos);
  folder.write("val/dog/1.jpg", "");
  EXPECT_NE(open(Part::test).find("val/dog: a class that "), std::string::npos);
}

TEST(Tolerant, TakesTheNextForACorruptOneUpToItsLimit) {
  const TempFolder folder;
  draw_folder(folder);
  const std::vector<fs::path> files = files_below(folder.path());
  for (const std::size_t i : {3U, 4U, 19U}) fs::resize_file(files[i], 100);
  Tolerant data(std::make_unique<ImageFolder>(folder.path(), Part::train), 2);
  std::vector<float> got(std::size_t{3} * 8 * 8);
  std::vector<float> wanted(got.size());
  data.sample(3, {8}, got);
  data.sample(5, {8}, wanted);
  EXPECT_EQ(got, wanted);
  EXPECT_EQ(data.label(3), data.label(5));
  const std::vector<std::string> findings = data.take_findings();
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_TRUE(findings[1].starts_with("skipped: " + files[4].string() + ": Premature end")) << findings[1];
  EXPECT_TRUE(findings[1].ends_with("(2 of at most 2)")) << findings[1];
  EXPECT_TRUE(data.take_findings().empty());
  const std::string third = refusal([&] { data.sample(19, {8}, got); });
  EXPECT_TRUE(third.starts_with(files[19].string())) << third;
  EXPECT_TRUE(third.ends_with("(after 2 that were skipped, see --skip-corrupt)")) << third;
}

TEST(Inspect, CountsWhatThereIs) {
  const TempFolder folder;
  draw_folder(folder);
  fs::resize_file(files_below(folder.path()).front(), 60);
  const sets::Contents contents = sets::inspect(ImageFolder(folder.path(), Part::train));
  EXPECT_EQ(contents.samples, 20U);
  EXPECT_EQ(contents.corrupt.size(), 1U);
  EXPECT_EQ(std::accumulate(contents.per_class.begin(), contents.per_class.end(), 0U), 19U);
  EXPECT_GE(contents.fewest_rows, 30);
  EXPECT_LE(contents.most_columns, 60);
  EXPECT_GT(contents.mean[1], 0.1);
  EXPECT_GT(contents.deviation[1], 0.05);
}

}  // namespace
}  // namespace adarun::trainer
