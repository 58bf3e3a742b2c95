# SPDX-License-Identifier: Apache-2.0
"""JSON schemas of Kubernetes' objects, strict: no field that they do not know. They are made of the models in python3-kubernetes,
which are generated from the OpenAPI document that Kubernetes publishes (here that of 1.22): each model has the fields, their
types, those that must be there and the values that they may have.

JobSet is no part of that document. Its fields are named here, as its reference has them
(https://jobset.sigs.k8s.io/docs/reference/jobset.v1alpha2/); the Jobs in it have Kubernetes' own schema."""
import functools
import re

import jsonschema
from kubernetes import client
from kubernetes.client import models

PLAIN = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
CHECKED, UNCHECKED = client.Configuration(), client.Configuration()
UNCHECKED.client_side_validation = False
LABEL = {"type": "string", "pattern": "^[a-z]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63}  # RFC 1035.


def type_schema(name):
    """The schema of a type as the models write it: str, list[V1Container], dict(str, str), V1JobSpec."""
    if found := re.fullmatch(r"list\[(.*)\]", name):
        return {"type": "array", "items": type_schema(found[1])}
    if found := re.fullmatch(r"dict\(str, (.*)\)", name):
        return {"type": "object", "additionalProperties": type_schema(found[1])}
    if name in PLAIN:
        return {"type": PLAIN[name]}
    if name in ("object", "datetime"):
        return {}
    return {"$ref": f"#/definitions/{name}"}


def is_needed(model, attribute):
    """Models refuse None for what must be there."""
    made = model(local_vars_configuration=UNCHECKED)
    made.local_vars_configuration = CHECKED
    try:
        setattr(made, attribute, None)
    except ValueError:
        return True
    return False


def model_schema(name):
    model = getattr(models, name)
    names = model.attribute_map
    return {"type": "object", "additionalProperties": False,
            "properties": {names[each]: type_schema(kind) for each, kind in model.openapi_types.items()},
            "required": [names[each] for each in model.openapi_types if is_needed(model, each)]}


def fields(needed, **properties):
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": needed}


def jobset_schema():
    names = {"type": "array", "items": {"type": "string"}}
    job = fields(["name", "template"], name=LABEL, replicas={"type": "integer", "minimum": 0}, groupName=LABEL,
                 template=type_schema("V1JobTemplateSpec"), dependsOn={"type": "array"})
    spec = fields([], replicatedJobs={"type": "array", "items": job}, suspend={"type": "boolean"},
                  network=fields([], enableDNSHostnames={"type": "boolean"}, subdomain=LABEL,
                                 publishNotReadyAddresses={"type": "boolean"}),
                  successPolicy=fields(["operator"], operator={"enum": ["All", "Any"]}, targetReplicatedJobs=names),
                  failurePolicy=fields([], maxRestarts={"type": "integer", "minimum": 0}, restartStrategy={"type": "string"},
                                       rules={"type": "array"}),
                  ttlSecondsAfterFinished={"type": "integer", "minimum": 0})
    return fields(["apiVersion", "kind", "metadata", "spec"], apiVersion={"type": "string"}, kind={"type": "string"},
                  metadata=type_schema("V1ObjectMeta"), spec=spec)


@functools.cache
def definitions():
    """All schemas that those of a manifest refer to."""
    found, wanted = {"JobSet": jobset_schema()}, ["V1Job", "V1Service", "V1ConfigMap", "V1JobTemplateSpec", "V1ObjectMeta"]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found[name] = model_schema(name)
            wanted += re.findall(r"#/definitions/(\w+)", str(found[name]))
    return found


KINDS = {("v1", "Service"): "V1Service", ("v1", "ConfigMap"): "V1ConfigMap", ("batch/v1", "Job"): "V1Job",
         ("jobset.x-k8s.io/v1alpha2", "JobSet"): "JobSet"}


def faults(manifest):
    """What is wrong with an object, in lines: the path of a field and what its schema says."""
    kind = KINDS[manifest.get("apiVersion"), manifest.get("kind")]
    validator = jsonschema.Draft7Validator({"$ref": f"#/definitions/{kind}", "definitions": definitions()})
    return [f"{'.'.join(map(str, each.path))}: {each.message}" for each in validator.iter_errors(manifest)]
