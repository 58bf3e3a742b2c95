// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/json/graph_json.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "trainer/planner/json/fields.h"

namespace adarun::planner {
namespace {

using nlohmann::ordered_json;

constexpr const char* schema_name = "adarun-model-1";
constexpr std::int64_t most_values = std::int64_t{1}
                                     << 40U;  // products of two fit 2^63, bytes of it a double
constexpr double most_seconds = 1e6;
constexpr double most_operations = 1e18;

constexpr std::size_t most_part_times = 64;
constexpr std::int64_t most_parts = 1 << 20;

constexpr std::pair<const char*, LayerSplit> split_words[] = {{"outputs", LayerSplit::outputs},
                                                              {"inputs", LayerSplit::inputs}};
constexpr std::pair<const char*, LayerKind> kinds[] = {
    {"convolution", LayerKind::convolution}, {"dense", LayerKind::dense}, {"sum", LayerKind::sum}};

ordered_json time_json(const LayerTime& time) {
  return {{"forward_s", time.forward_s}, {"backward_s", time.backward_s}};
}

ordered_json model_layer_json(const ModelGraph& graph, const Layer& layer) {
  ordered_json json{
      {"name", layer.name}, {"kind", word_for(kinds, layer.kind)}, {"inputs", ordered_json::array()}};
  for (const std::size_t input : layer.inputs) json["inputs"].push_back(graph.layers[input].name);
  json["out_channels"] = layer.out_channels;
  json["out_values"] = layer.out_values;
  json["result_values"] = layer.result_values;
  json["kept_values"] = layer.kept_values;
  json["weights"] = layer.weights;
  json["vectors"] = layer.vectors;
  json["operations"] = layer.operations;
  if (layer.time) json.update(time_json(*layer.time));
  for (const PartTime& part : layer.part_times) {
    ordered_json of_part{{"split", word_for(split_words, part.split)}, {"parts", part.parts}};
    of_part.update(time_json(part.time));
    json["part_times"].push_back(std::move(of_part));
  }
  return json;
}

using Numbers = std::map<std::string, std::size_t>;  // of layers, by name

std::vector<std::size_t> inputs_of(const JsonFields& fields, const Numbers& numbers) {
  std::vector<std::size_t> inputs;
  for (const std::string& input : fields.texts("inputs")) {
    const auto at = numbers.find(input);
    if (at == numbers.end()) fields.fail("inputs: \"" + input + "\": no layer before this one has this name");
    inputs.push_back(at->second);
  }
  return inputs;
}

/// Refuses sizes whose product with the channels is more than most_values.
void check_size(const JsonFields& fields, const char* name, std::int64_t channels, std::int64_t values) {
  if (values > most_values / channels)
    fields.fail(std::string(name) + ": " + std::to_string(values) + " of " + std::to_string(channels) +
                " channels are more than " + std::to_string(most_values));
}

void check_inputs(const JsonFields& fields, const ModelGraph& graph, const Layer& layer) {
  const bool is_sum = layer.kind == LayerKind::sum;
  if (is_sum ? layer.inputs.size() < 2 : layer.inputs.size() > 1)
    fields.fail(is_sum ? "inputs: a sum has two or more" : "inputs: only a sum has more than one");
  if (!is_sum) return;
  for (const std::size_t input : layer.inputs) {
    const Layer& of = graph.layers[input];
    if (of.out_channels != layer.out_channels || of.result_values != layer.out_values)
      fields.fail("inputs: \"" + of.name + "\" is not as large as the sum");
  }
}

LayerTime time_in(const JsonFields& fields) {
  return {fields.number("forward_s", 0, most_seconds), fields.number("backward_s", 0, most_seconds)};
}

Layer layer_of(const JsonFields& fields, const Numbers& numbers) {
  const auto count = [&](const char* name, std::int64_t least) {
    return fields.integer(name, least, most_values);
  };
  Layer layer{.name = fields.text("name"),
              .kind = fields.value("kind", kinds),
              .inputs = inputs_of(fields, numbers),
              .out_channels = count("out_channels", 1),
              .out_values = count("out_values", 1),
              .result_values = count("result_values", 1),
              .kept_values = count("kept_values", 0),
              .weights = count("weights", 0),
              .vectors = count("vectors", 0),
              .operations = fields.number("operations", 0, most_operations)};
  check_size(fields, "out_values", layer.out_channels, layer.out_values);
  check_size(fields, "result_values", layer.out_channels, layer.result_values);
  check_size(fields, "kept_values", layer.out_channels, layer.kept_values);
  if (fields.has("forward_s") || fields.has("backward_s")) layer.time = time_in(fields);
  if (!fields.has("part_times")) return layer;
  for (const JsonFields& part : fields.objects("part_times", most_part_times))
    layer.part_times.push_back(
        {part.value("split", split_words), part.integer("parts", 2, most_parts), time_in(part)});
  return layer;
}

}  // namespace

std::string write_graph(const ModelGraph& graph) {
  ordered_json json{{"schema", schema_name},
                    {"model", graph.model},
                    {"image_channels", graph.image_channels},
                    {"image_values", graph.image_values}};
  if (graph.weight_time) {
    json["update_s"] = graph.weight_time->update_s;
    json["combine_s"] = graph.weight_time->combine_s;
  }
  json["layers"] = ordered_json::array();
  for (const Layer& layer : graph.layers) json["layers"].push_back(model_layer_json(graph, layer));
  return json.dump(2) + "\n";
}

ModelGraph read_graph(const std::string& text, const std::string& name) {
  const nlohmann::json json = parse_file(text, name, schema_name);
  const JsonFields fields(json, name);
  ModelGraph graph{fields.text("model"),
                   fields.integer("image_channels", 1, most_values),
                   fields.integer("image_values", 1, most_values),
                   {}};
  check_size(fields, "image_values", graph.image_channels, graph.image_values);
  Numbers numbers;
  for (const JsonFields& of : fields.objects("layers", most_layers)) {
    Layer layer = layer_of(of, numbers);
    check_inputs(of, graph, layer);
    if (!numbers.emplace(layer.name, numbers.size()).second)
      of.fail("name: \"" + layer.name + "\": there are two");
    graph.layers.push_back(std::move(layer));
  }
  if (graph.layers.empty()) fields.fail("layers: none");
  if (fields.has("update_s") || fields.has("combine_s"))
    graph.weight_time = {fields.number("update_s", 0, most_seconds),
                         fields.number("combine_s", 0, most_seconds)};
  return graph;
}

}  // namespace adarun::planner
