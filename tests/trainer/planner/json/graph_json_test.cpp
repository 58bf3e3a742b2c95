// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/json/graph_json.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/trainer/refusal.h"

namespace adarun::planner {
namespace {

using trainer::testing_data::refusal;

constexpr const char* two_layers = R"({"schema": "adarun-model-1", "model": "two", "image_channels": 3,
  "image_values": 64, "layers": [
  {"name": "conv", "kind": "convolution", "inputs": [], "out_channels": 8, "out_values": 64, "result_values": 16,
   "kept_values": 64, "weights": 216, "vectors": 8, "operations": 27648, "forward_s": 0.001, "backward_s": 0.002},
  {"name": "fc", "kind": "dense", "inputs": ["conv"], "out_channels": 10, "out_values": 1, "result_values": 1,
   "kept_values": 0, "weights": 1280, "vectors": 10, "operations": 2560}]})";

/// two_layers with the first `found` replaced.
std::string with(const std::string& found, const std::string& wanted) {
  std::string text = two_layers;
  const std::size_t at = text.find(found);
  EXPECT_NE(at, std::string::npos) << found;
  return text.replace(at, found.size(), wanted);
}

TEST(GraphJson, IsReadAsItWasWritten) {
  const ModelGraph graph = read_graph(two_layers, "two.json");
  EXPECT_EQ(graph.layers[1].inputs, std::vector<std::size_t>{0});
  EXPECT_EQ(graph.in_values(1), 16);
  EXPECT_EQ(graph.layers[0].time, (LayerTime{0.001, 0.002}));
  EXPECT_FALSE(graph.layers[1].time);
  EXPECT_EQ(read_graph(write_graph(graph), "again"), graph);
}

TEST(GraphJson, HasTimesOfParts) {
  ModelGraph graph = read_graph(two_layers, "two.json");
  graph.layers[1].part_times = {{LayerSplit::outputs, 2, {0.001, 0.002}},
                                {LayerSplit::inputs, 4, {0.003, 0}}};
  EXPECT_EQ(read_graph(write_graph(graph), "again"), graph);
}

TEST(GraphJson, HasTheTimeOfAWeight) {
  ModelGraph graph = read_graph(two_layers, "two.json");
  EXPECT_FALSE(graph.weight_time);
  graph.weight_time = WeightTime{1e-9, 2e-9};
  EXPECT_EQ(read_graph(write_graph(graph), "again"), graph);
}

TEST(GraphJson, IsRefusedInOneLineThatNamesThePlace) {
  struct Case {
    std::string text;
    std::string message;
  };
  const Case cases[] = {
      {"", "two.json: not JSON: at byte 1"},
      {"[1]", "two.json: not an object: array"},
      {"{}", "two.json: schema is missing"},
      {with("adarun-model-1", "adarun-plan-1"),
       "two.json: schema: \"adarun-plan-1\", wanted \"adarun-model-1\""},
      {with("\"image_channels\": 3", "\"image_channels\": 0"),
       "two.json: image_channels: 0: not a whole number from 1 to 1099511627776"},
      {with("\"weights\": 216", "\"weights\": -1"),
       "two.json: layers[0]: weights: -1: not a whole number from 0 to 1099511627776"},
      {with("\"weights\": 216", "\"weights\": 1e30"),
       "two.json: layers[0]: weights: 1e+30: not a whole number from 0 to 1099511627776"},
      {with("\"weights\": 216", "\"weights\": 18446744073709551615"),
       "two.json: layers[0]: weights: 18446744073709551615: not a whole number from 0 to 1099511627776"},
      {with("\"weights\": 216", "\"weights\": 1e999"), "two.json: not JSON: a number is too large"},
      {with("\"out_values\": 64", "\"out_values\": 1099511627776"),
       "two.json: layers[0]: out_values: 1099511627776 of 8 channels are more than 1099511627776"},
      {with("\"weights\": 216", R"("part_times": [{"split": "none", "parts": 2}], "weights": 216)"),
       "two.json: layers[0]: part_times[0]: split: \"none\": not outputs or inputs"},
      {with("\"weights\": 216", R"("part_times": [{"split": "inputs", "parts": 1}], "weights": 216)"),
       "two.json: layers[0]: part_times[0]: parts: 1: not a whole number from 2 to 1048576"},
      {with("\"layers\"", "\"update_s\": -1, \"combine_s\": 0, \"layers\""),
       "two.json: update_s: -1: not a number from 0.0 to 1000000.0"},
      {with("\"layers\"", "\"update_s\": 1e-9, \"layers\""), "two.json: combine_s is missing"},
      {with("0.001", "-1"), "two.json: layers[0]: forward_s: -1: not a number from 0.0 to 1000000.0"},
      {with("0.001", "\"fast\""),
       "two.json: layers[0]: forward_s: \"fast\": not a number from 0.0 to 1000000.0"},
      {with("\"forward_s\": 0.001, ", ""), "two.json: layers[0]: forward_s is missing"},
      {with("convolution", "attention"),
       "two.json: layers[0]: kind: \"attention\": not convolution, dense or sum"},
      {with("[\"conv\"]", "[\"fc\"]"),
       "two.json: layers[1]: inputs: \"fc\": no layer before this one has this name"},
      {with("[\"conv\"]", "[\"conv\", \"conv\"]"),
       "two.json: layers[1]: inputs: only a sum has more than one"},
      {with("\"dense\"", "\"sum\""), "two.json: layers[1]: inputs: a sum has two or more"},
      {with("\"dense\", \"inputs\": [\"conv\"]", "\"sum\", \"inputs\": [\"conv\", \"conv\"]"),
       "two.json: layers[1]: inputs: \"conv\" is not as large as the sum"},
      {with("\"name\": \"fc\"", "\"name\": \"conv\""), "two.json: layers[1]: name: \"conv\": there are two"},
      {with("\"name\": \"fc\"", "\"name\": \"\\u001b[31m\\n\""), "accepted"},
      {R"({"schema": "adarun-model-1", "model": "m", "image_channels": 1, "image_values": 1, "layers": []})",
       "two.json: layers: none"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_EQ(refusal<Error>([&text = text] { read_graph(text, "two.json"); }), message);
}

TEST(GraphJson, PutsNoControlCharacterIntoAMessage) {
  const std::string message =
      refusal<Error>([] { read_graph(with("convolution", "\\u001b[31mred\\n"), "two.json"); });
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace adarun::planner
