// SPDX-License-Identifier: Apache-2.0
// Pictures and tables of runs.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>

#include "monitor/plot/csv.h"
#include "monitor/plot/loss_plot.h"
#include "monitor/plot/picture.h"
#include "monitor/plot/raster.h"

namespace adarun::monitor::plot {
namespace {

constexpr Color red{255, 0, 0};

Run run_of(int ranks, const std::vector<std::string>& losses) {
  Run run;
  for (int rank = 0; rank < ranks; ++rank)
    for (std::size_t step = 0; step < losses.size(); ++step)
      run.feed(static_cast<std::uint32_t>(rank),
               "epoch: 1 step: " + std::to_string(step + 1) + ", loss is " + losses[step] + "\n");
  return run;
}

std::string csv_of(const std::string& name, const Run& run) {
  std::string text = csv_heading();
  csv_lines(name, run, [&](std::string_view bytes) { text += bytes; });
  return text;
}

std::string svg_of(const Run& run, const std::string& name) {
  return svg(loss_plot(std::vector<NamedRun>{{name, &run}}));
}

TEST(Axis, TakesRoundNumbers) {
  EXPECT_EQ(round_numbers(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(round_numbers(-1, 1, 4), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  EXPECT_EQ(round_numbers(3, 3, 5), (std::vector<double>{3}));
  EXPECT_LE(round_numbers(1e-300, 1e300, 5).size(), 11U);
  EXPECT_EQ(axis_text(0.05), "0.05");
  EXPECT_EQ(axis_text(2'500'000), "2.5M");
}

TEST(Raster, FillsWhatAnAreaCovers) {
  Scene scene{10, 10, {Area{{{2, 2}, {6, 2}, {6, 6}, {2, 6}}, red}}};
  const Bitmap bitmap = rasterise(scene);
  EXPECT_EQ(bitmap.at(3, 3), red);
  EXPECT_EQ(bitmap.at(2, 2), red);
  EXPECT_EQ(bitmap.at(6, 3), (Color{255, 255, 255}));
  EXPECT_EQ(bitmap.at(1, 3), (Color{255, 255, 255}));
}

TEST(Raster, CoversEdgesInPart) {
  Scene scene{10, 10, {Area{{{2.5, 2}, {6, 2}, {6, 6}, {2.5, 6}}, red}}};
  EXPECT_NEAR(rasterise(scene).at(2, 3).green, 128, 2);
}

TEST(Raster, AStrokeThatCrossesItselfIsNotDarker) {
  Scene scene{20, 20, {Polyline{{{2, 10}, {18, 10}, {2, 10}}, {255, 0, 0, 0.5}, 4}}};
  EXPECT_NEAR(rasterise(scene).at(10, 10).green, 128, 2);
}

TEST(Raster, StaysInThePictureWhateverIsDrawn) {
  const double far = 1e9;
  Scene scene{8,
              8,
              {Polyline{{{-far, -far}, {far, far}}, red, 3},
               Area{{{-far, -far}, {far, -far}, {far, far}, {-far, far}}, red},
               TextLabel{{-50, 4}, "text", red}, Polyline{{}, red, 1}, Area{{{1, 1}}, red}}};
  EXPECT_EQ(rasterise(scene, 2).at(15, 15), red);
}

TEST(Strokes, EveryCharacterHasAShapeInItsBox) {
  for (char c = '!'; c <= '~'; ++c) {
    const auto strokes = strokes_of(std::string(1, c), {0, 9.5}, 9.5, Align::left);
    ASSERT_FALSE(strokes.empty()) << c;
    for (const auto& stroke : strokes) {
      for (const PixelPoint& place : stroke) {
        EXPECT_GE(place.x, 0) << c;
        EXPECT_LE(place.x, 5) << c;
        EXPECT_GE(place.y, 3) << c;
        EXPECT_LE(place.y, 12) << c;
      }
    }
  }
  EXPECT_EQ(strokes_of("\xc3\xa4", {0, 0}, 9, Align::left), strokes_of("?", {0, 0}, 9, Align::left));
}

TEST(Svg, TakesTextForText) {
  const Scene scene{10, 10, {TextLabel{{1, 1}, "<script>&\"\x01", red}}};
  EXPECT_NE(svg(scene).find("&lt;script&gt;&amp;&quot;\xe2\x90\x81</text>"), std::string::npos) << svg(scene);
}

// As a folder may be called.
TEST(Svg, HasOnlyCharactersThatXmlAllows) {
  const Scene scene{10, 10, {TextLabel{{1, 1}, "r\xc3\xbcn \xff\xc3 \xef\xbf\xbe\xef\xbf\xbf\x7f", red}}};
  EXPECT_NE(svg(scene).find(">r\xc3\xbcn \xef\xbf\xbd\xef\xbf\xbd ??\xe2\x90\xa1</text>"), std::string::npos)
      << svg(scene);
}

TEST(Png, HoldsThePixels) {
  Bitmap bitmap(3, 2);
  bitmap.bytes[3] = 7;
  const std::string file = png(bitmap);
  EXPECT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(file.substr(12, 4), "IHDR");
  const std::size_t data = file.find("IDAT") + 4;
  std::string rows(20, '\0');
  uLongf size = rows.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size,
                       reinterpret_cast<const Bytef*>(&file[data]), file.size() - data),
            Z_OK);
  EXPECT_EQ(size, 20U);
  EXPECT_EQ(rows[0], 0);
  EXPECT_EQ(rows[4], 7);
  EXPECT_EQ(rows[5], '\xff');
}

TEST(LossPlot, DrawsACurveWithItsBandAndWhereItIsNoNumber) {
  const auto run = run_of(2, {"3", "2", "nan", "1"});
  const std::vector<NamedRun> runs{{"mine", &run}};
  const Scene scene = loss_plot(runs);
  int areas = 0;
  int marks = 0;
  for (const Shape& shape : scene.shapes) {
    if (std::holds_alternative<Area>(shape)) ++areas;
    if (const auto* line = std::get_if<Polyline>(&shape)) marks += line->color == Color{198, 40, 40} ? 1 : 0;
  }
  EXPECT_EQ(areas, 2) << "before and behind the gap";
  EXPECT_EQ(marks, 1);
  EXPECT_NE(svg(scene).find(">mine</text>"), std::string::npos);
}

TEST(LossPlot, NeedsNoLossAndNoManyNumbers) {
  const monitor::Run empty;
  const auto one = run_of(1, {"2"});
  const auto huge = run_of(1, {"1e300", "-1e300"});
  const std::vector<NamedRun> runs{{"empty", &empty}, {"one", &one}, {"huge", &huge}};
  const std::string text = svg(loss_plot(runs));
  EXPECT_NE(text.find("empty (no loss)"), std::string::npos);
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_GT(png(rasterise(loss_plot(runs))).size(), 1000U);
  EXPECT_GT(svg(loss_plot({})).size(), 100U);
}

TEST(Csv, HasEveryPointOfEveryRank) {
  EXPECT_EQ(csv_of("a,\"b\"", run_of(2, {"2.5", "nan"})),
            "run,rank,position,epoch,step,loss,min,max,not_finite,validation\n"
            "\"a,\"\"b\"\"\",0,1,1,1,2.5,2.5,2.5,0,\n\"a,\"\"b\"\"\",0,2,1,2,nan,nan,nan,1,\n"
            "\"a,\"\"b\"\"\",1,1,1,1,2.5,2.5,2.5,0,\n\"a,\"\"b\"\"\",1,2,1,2,nan,nan,nan,1,\n");
}

TEST(Csv, HasLossesOfValidationsBesideThoseOfTheirPositions) {
  auto run = run_of(1, {"3", "2"});
  run.feed(0, "val_loss: 2.5\nepoch: 1 step: 3, val_loss: nan\nepoch: 1 step: 4, loss is 1\n");
  EXPECT_EQ(csv_of("a", run), csv_heading() +
                                  "a,0,1,1,1,3,3,3,0,\na,0,2,1,2,2,2,2,0,2.5\na,0,3,1,3,,,,,nan\n"
                                  "a,0,4,1,4,1,1,1,0,\n");
}

TEST(LossPlot, DrawsValidationsAsACurveOfTheirOwn) {
  const auto names = [](const monitor::Run& run) {
    const std::string text = svg_of(run, "mine");
    return text.find(">mine<") != std::string::npos && text.find(">mine validation<") != std::string::npos;
  };
  auto run = run_of(2, {"3", "2", "1"});
  EXPECT_FALSE(names(run));
  run.feed(0, "val_loss: 1.5\n");
  EXPECT_TRUE(names(run));
}

// A run of two attempts, the second with fewer ranks, from step 3 on.
Run run_of_two_attempts() {
  Run run = run_of(2, {"4", "3", "2"});
  run.next_attempt(2, "<b>node2</b> is lost");
  run.feed(0, "epoch: 1 step: 3, loss is 1\n");
  return run;
}

TEST(LossPlot, MarksWhereAnotherAttemptBegins) {
  const monitor::Run run = run_of_two_attempts();
  const std::string text = svg_of(run, "job");
  EXPECT_NE(text.find("&lt;b&gt;node2&lt;/b&gt; is lost"), std::string::npos) << text;
  EXPECT_EQ(svg_of(run_of(2, {"4", "3", "2"}), "job").find("node2"), std::string::npos);
}

TEST(LossPlot, LeavesOutTextsOfMarksThatHaveNoRoom) {
  monitor::Run run = run_of(1, {"4"});
  for (std::uint64_t number = 2; number < 40; ++number) {
    run.next_attempt(number, "another restart");
    run.feed(0, "epoch: 1 step: " + std::to_string(number) + ", loss is 1\n");
  }
  run.feed(0, "epoch: 1 step: 1000, loss is 1\n");
  const std::string text = svg_of(run, "job");
  std::size_t shown = 0;
  for (std::size_t at = text.find("another"); at != std::string::npos; at = text.find("another", at + 1))
    ++shown;
  EXPECT_GE(shown, 1U);
  EXPECT_LE(shown, 4U);
}

TEST(Csv, HasEachStepOfAllAttemptsOnce) {
  EXPECT_EQ(csv_of("job", run_of_two_attempts()),
            csv_heading() +
                "job,0,1,1,1,4,4,4,0,\njob,0,2,1,2,3,3,3,0,\njob,0,3,1,3,1,1,1,0,\n"
                "job,1,1,1,1,4,4,4,0,\njob,1,2,1,2,3,3,3,0,\n");
}

}  // namespace
}  // namespace adarun::monitor::plot
