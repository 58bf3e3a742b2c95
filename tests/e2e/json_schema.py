# SPDX-License-Identifier: Apache-2.0
"""The part of JSON Schema that the schemas under docs/ are written in."""
import os

from e2e import read_json

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}


def read_schema(name):
    return read_json(os.path.join(FOLDER, f"{name}.schema.json"))


def is_of(value, name):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def misfits(value, schema, whole, path="$"):
    """The paths at which a value does not match `schema`, a part of the schema `whole`."""
    if "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(is_of(value, each) for each in types):
        return [path]
    found = []
    if isinstance(value, list):
        for i, item in enumerate(value):
            found += misfits(item, schema["items"], whole, f"{path}[{i}]")
    if isinstance(value, dict):
        found += [f"{path}.{name}" for name in schema.get("required", []) if name not in value]
        for name, item in value.items():
            inner = schema.get("properties", {}).get(name, schema["additionalProperties"])
            found += misfits(item, inner, whole, f"{path}.{name}") if inner else [f"{path}.{name}"]
    return found
