#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The schemas of files whose keys are options: made of --help, so that editors complete and explain them.

option_schemas.py, with ADARUN_TEST_BIN set to the folder of the programs, writes them to docs/.
"""
import json
import os
import re

import helps

DOCS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "docs")
OF_COMMAND_LINE = {"help", "help-all", "version", "spec", "print-spec"}
NO_PART_OF_JOB = OF_COMMAND_LINE | {"role", "dry-run"}
NO_PART_OF_TRAINING = OF_COMMAND_LINE | {"check-options", "preset", "recipe", "config", "print-config", "verbose", "log-file"}
SCHEMA = {"$schema": {"description": "Where editors find this schema; adarun does not read it.", "type": "string"}}
KINDS = {
    "value": {"description": "A list for an option that is given several times; true or false where it may go without a value, or is not set.",
              "type": ["string", "number", "boolean", "array"], "items": {"type": ["string", "number"]}},
    "flag": {"description": "true or false; a list for one that is given several times.",
             "type": ["boolean", "string", "number", "array"], "items": {"type": ["string", "number"]}},
}
PROGRAM = {"type": "array", "items": {"type": "string"}, "minItems": 1}
ROLE = {
    "name": {"description": "A letter, then letters, digits, - and _.", "type": "string"},
    "ranks": {"description": "Such as 0-7 or 0,8-15. One of ranks, count and hosts.", "type": "string"},
    "count": {"description": "So many ranks, behind those of the role before.", "type": "integer"},
    "hosts": {"description": "Those whose ranks it has, as --hosts lists them. All roles have them, or none.", "type": "string"},
    "program": {"description": "Program and arguments of its ranks.", "$ref": "#/$defs/program"},
    "env": {"description": "NAME=VALUE, before those of the job.", "type": "array", "items": {"type": "string"}},
    "workdir": {"description": "Folder its ranks start in, on the nodes.", "type": "string"},
    "background": {"description": "The job does not wait for its ranks.", "type": "boolean"},
    "optional": {"description": "The job continues without one that fails.", "type": "boolean"},
    "restarts": {"description": "How often ranks that fail are started again, in all.", "type": "integer"},
}


def property_of(takes, text):
    if not takes:
        return {"description": text, "$ref": "#/$defs/flag"}
    words = [word for word in takes.split("|") if re.fullmatch("[a-z][a-z0-9-]*", word)]
    return {"title": takes, "description": text, **({"examples": words} if "|" in takes and words else {}), "$ref": "#/$defs/value"}


def properties_of(words, without):
    return {name: property_of(takes, text) for name, takes, text in helps.explained_options(words) if name not in without}


def schema(title, description, properties, **more):
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, "description": description, "type": "object",
            "properties": {**SCHEMA, **properties}, "additionalProperties": False, **more}


def spec():
    role = {"type": "object", "properties": ROLE, "required": ["name", "program"], "additionalProperties": False}
    own = {"program": {"description": "Program and arguments of all ranks; not beside roles.", "$ref": "#/$defs/program"},
           "roles": {"description": "Several programs, each with ranks of its own.", "type": "array", "items": role, "minItems": 1}}
    return schema("What adarun launch --spec reads and --print-spec prints",
                  "A job: long names of options of adarun launch, without dashes, and what it runs.",
                  {**own, **properties_of(("adarun", "launch"), NO_PART_OF_JOB)}, **{"$defs": {**KINDS, "program": PROGRAM}})


def config():
    commands = [words[1] for words in helps.all_commands("adarun") if len(words) == 2 and words[1] != "config"]
    of = {command: properties_of(("adarun", command), OF_COMMAND_LINE) for command in commands}
    common = {**of["check"], **of["train"], **of["launch"]}
    shared = {name: value for name, value in common.items() if sum(each.get(name) == value for each in of.values()) > 1}

    def short(properties):
        return {name: {"$ref": f"#/$defs/{name}"} if value == shared.get(name) else value for name, value in properties.items()}

    own = {command: {"description": f"For adarun {command} alone.", "type": "object", "properties": short(properties),
                     "additionalProperties": False} for command, properties in of.items() if properties}
    return schema("What .adarun.json and ~/.config/adarun/config.json hold",
                  "Defaults of options of launch, train and check. .adarun.json may set only some of them: docs/config.md.",
                  {**short(common), **own}, **{"$defs": {**KINDS, **shared}})


def trainer_config():
    scalar = {"value": {"description": "A text, a number, true or false.", "type": ["string", "number", "boolean"]},
              "flag": {"description": "true or false.", "type": ["boolean", "string", "number"]}}
    properties = properties_of(("adarun-trainer",), NO_PART_OF_TRAINING)
    properties["boost"] = {"title": properties["boost"]["title"], "description": properties["boost"]["description"],
                           "type": ["object", "string"], "additionalProperties": {"type": "object"}}
    return schema("What adarun-trainer --config reads and --print-config prints",
                  "A training: long names of options of adarun-trainer, without dashes.", properties, **{"$defs": scalar})


def dumped(value, indent=""):
    """JSON with an object or a list in one line where it fits."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= 125 or not isinstance(value, dict):
        return line
    rows = [f"{indent}  {json.dumps(key)}: {dumped(each, indent + '  ')}" for key, each in value.items()]
    return "{\n" + ",\n".join(rows) + f"\n{indent}}}"


def texts():
    """File name -> what docs/ has to have there; those of the trainer only where it is built."""
    makers = {"spec": spec, "config": config, **({"trainer-config": trainer_config} if "adarun-trainer" in helps.programs() else {})}
    return {f"{name}.schema.json": dumped(make()) + "\n" for name, make in makers.items()}


if __name__ == "__main__":
    for name, text in texts().items():
        with open(os.path.join(DOCS, name), "w", encoding="utf-8") as file:
            file.write(text)
