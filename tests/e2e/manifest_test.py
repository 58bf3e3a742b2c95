# SPDX-License-Identifier: Apache-2.0
"""adarun script k8s: manifests are checked against Kubernetes' schemas, and their pods are run on the test hosts, with the names
that a headless Service would give them.

The schemas are strict: no field that they do not know. They are made of the models in python3-kubernetes, which are generated
from the OpenAPI document that Kubernetes publishes (here that of 1.22): each model has the fields, their types, those that must
be there and the values that they may have. JobSet is no part of that document. Its fields are named here, as its reference has
them (https://jobset.sigs.k8s.io/docs/reference/jobset.v1alpha2/); the Jobs in it have Kubernetes' own schema."""
import copy
import functools
import os
import re
import subprocess

import jsonschema
import yaml
from e2e import DEADLINE_S, Case, adarun, lines_of, read, run, write, write_lines, write_program
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


ODD_WORDS = ["a b", "it's", "$HOME", "$(RANK)", "two\n---\nkind: Job", "# x", "ü", "\u2028", "*", ""]
# Rank 0 waits at MASTER_ADDR for all others, and prints who they are.
MEET = """
import os, socket, time
rank, size, place = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
if rank == 0:
    server, found = socket.create_server(("", place[1])), []
    while len(found) < size - 1:
        connection = server.accept()[0]
        found.append(connection.makefile().readline().strip())
    print(*sorted(found), sep="\\n", flush=True)
else:
    while True:
        try:
            connection = socket.create_connection(place)
            break
        except ConnectionRefusedError:
            time.sleep(0.02)
    role = " ".join(os.environ.get(name, "-") for name in ("ADARUN_ROLE", "ADARUN_ROLE_RANK", "ADARUN_ROLE_SIZE"))
    connection.sendall(f"{rank} on {os.environ['SERVER_ID']} device {os.environ['DEVICE_ID']} {role}\\n".encode())
"""


class Manifest(Case):
    def manifest(self, *options, program=("./train",)):
        done = adarun("script", "k8s", *options, "--", *program).expect(0, stderr="")
        self.assertIn("kubectl create -f this file", done.stdout.split("\n", 1)[0])
        found = list(yaml.safe_load_all(done.stdout))
        for each in found:
            self.assertEqual(faults(each), [], each)
        return found

    def of_kind(self, kind, *options, program=("./train",)):
        """The only object of this kind."""
        found = [each for each in self.manifest(*options, program=program) if each["kind"] == kind]
        self.assertEqual(len(found), 1)
        return found[0]


INDEXED = ["--nodes", "2", "--ntasks-per-node", "2", "--image", "registry/train:1"]
ROLES = ["--jobset", "--nodes", "3", "--ntasks-per-node", "2", "--image", "registry/serve:1", "--role", "decode=2-5"]
DECODE = ["./decode", "--role", "prefill=0-1", "--", "./prefill"]


class Schema(Manifest):
    def test_is_that_of_an_indexed_job_behind_a_headless_service(self):
        service, config, job = self.manifest(*INDEXED, "--name", "run-3", "--resource", "nvidia.com/gpu=8", "--resource",
                                             "memory=64Gi", program=["./train", *ODD_WORDS])
        self.assertEqual((service["kind"], service["spec"]["clusterIP"]), ("Service", "None"))
        self.assertEqual({each["metadata"]["name"] for each in (service, config, job)}, {"run-3"})
        spec, pod = job["spec"], job["spec"]["template"]["spec"]
        self.assertEqual((spec["completionMode"], spec["completions"], spec["parallelism"], spec["backoffLimit"]), ("Indexed", 2, 2, 0))
        self.assertEqual((pod["subdomain"], pod["restartPolicy"]), (service["metadata"]["name"], "Never"))
        self.assertEqual(service["spec"]["selector"], spec["template"]["metadata"]["labels"])
        self.assertEqual(pod["containers"][0]["resources"], {"limits": {"nvidia.com/gpu": "8", "memory": "64Gi"}})
        self.assertEqual(pod["volumes"][0]["configMap"]["name"], config["metadata"]["name"])

    def test_is_that_of_a_jobset_with_a_job_for_each_role(self):
        jobset = self.of_kind("JobSet", *ROLES, "--image", "decode=registry/decode:2", program=DECODE)
        self.assertEqual(jobset["spec"]["failurePolicy"], {"maxRestarts": 0})
        jobs = jobset["spec"]["replicatedJobs"]
        self.assertEqual([(job["name"], job["replicas"], job["template"]["spec"]["completions"]) for job in jobs],
                         [("prefill", 1, 1), ("decode", 1, 2)])
        images = [job["template"]["spec"]["template"]["spec"]["containers"][0]["image"] for job in jobs]
        self.assertEqual(images, ["registry/serve:1", "registry/decode:2"])
        alone = self.of_kind("JobSet", "--jobset", "--nodes", "2", "--image", "i")
        self.assertEqual([job["name"] for job in alone["spec"]["replicatedJobs"]], ["ranks"])

    def test_is_that_of_a_job_for_each_node(self):
        jobs = self.manifest("--hosts", "a:2,b:2", "--image", "i", "--resource", "nvidia.com/gpu=2")[1:]
        self.assertEqual([job["spec"]["template"]["spec"]["nodeSelector"]["kubernetes.io/hostname"] for job in jobs], ["a", "b"])
        write("hccn.conf", "".join(f"address_{i}=10.1.0.{i}\n" for i in range(8)))
        adarun("ranktable", "gen", "--hccn-conf", "hccn.conf", "--server-ip", "10.0.0.1", "-o", "table.json").expect(0)
        write_lines("map", ["10.0.0.1 node1"])
        job = self.of_kind("Job", "-r", "table.json", "--map", "map", "--image", "i")
        limits = job["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
        self.assertEqual(limits, {"huawei.com/Ascend910": "8"})
        job = self.of_kind("Job", "-r", "table.json", "--map", "map", "--image", "i", "--resource", "huawei.com/Ascend910=16")
        self.assertEqual(job["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"], {"huawei.com/Ascend910": "16"})

    def test_sees_what_is_wrong(self):
        service, config, job = self.manifest(*INDEXED)
        jobset = self.of_kind("JobSet", *ROLES, program=DECODE)

        def changed(manifest, change):
            other = copy.deepcopy(manifest)
            change(other)
            return faults(other)

        def pod(manifest):
            return manifest["spec"]["template"]["spec"]

        for manifest, change, said in (
                (job, lambda it: it["spec"].update(completion=2), "'completion' was unexpected"),
                (job, lambda it: it["spec"].update(completions="2"), "'2' is not of type 'integer'"),
                (job, lambda it: it["spec"].pop("template"), "'template' is a required property"),
                (job, lambda it: pod(it).pop("containers"), "'containers' is a required property"),
                (job, lambda it: pod(it)["containers"][0].update(imag="x"), "'imag' was unexpected"),
                (job, lambda it: pod(it)["containers"][0].update(command="bash"), "'bash' is not of type 'array'"),
                (job, lambda it: pod(it)["containers"][0]["volumeMounts"][0].pop("mountPath"), "'mountPath' is a required"),
                (job, lambda it: it["metadata"].update(labels={"adarun-job": True}), "True is not of type 'string'"),
                (service, lambda it: it["spec"].update(headless=True), "'headless' was unexpected"),
                (service, lambda it: it["metadata"].update(name=True), "True is not of type 'string'"),
                (config, lambda it: it["data"].update(a=["b"]), "['b'] is not of type 'string'"),
                (jobset, lambda it: it["spec"].update(replicatedJob=[]), "'replicatedJob' was unexpected"),
                (jobset, lambda it: it["spec"]["network"].update(subdomain="2a"), "'2a' does not match"),
                (jobset, lambda it: it["spec"]["replicatedJobs"][0]["template"]["spec"].update(completion=2), "'completion' was unexpected")):
            found = changed(manifest, change)
            self.assertEqual(len(found), 1, (said, found))
            self.assertIn(said, found[0])

    def test_holds_what_yaml_would_take_otherwise(self):
        for name in "no", "null", "e1":
            job = self.of_kind("Job", *INDEXED, "--name", name)
            self.assertEqual(job["metadata"], {"name": name, "labels": {"adarun-job": name}})


class Pods(Manifest):
    def run_pods(self, manifest):
        """Starts the pods of a manifest on test hosts, then gives them their names; what each has printed, and its status."""
        data = next(each["data"] for each in manifest if each["kind"] == "ConfigMap")
        last = manifest[-1]
        name, jobs = last["metadata"]["name"], {"": last}
        if last["kind"] == "JobSet":
            jobs = {f"{each['name']}-0-": each["template"] for each in last["spec"]["replicatedJobs"]}
        pods, names = [], []
        for begin, job in jobs.items():
            for index in range(job["spec"]["completions"]):
                number = len(pods)
                folder = f"{self.folder}/pod{number}"
                os.makedirs(f"{folder}/job")
                for file, text in data.items():
                    write(f"{folder}/job/{file}", text)
                command = job["spec"]["template"]["spec"]["containers"][0]["command"]
                self.assert_shellcheck_is_content(command[2], data["run_node.sh"])
                words = [word.replace("/adarun/", f"{folder}/") for word in command]
                names.append(f"10.77.0.{number % 2 + 2} {name}-{begin}{index}.{name}")
                pods.append(subprocess.Popen(["ip", "netns", "exec", f"node{number % 2 + 1}", *words], stdin=subprocess.DEVNULL,
                                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                             env={**os.environ, "JOB_COMPLETION_INDEX": str(index)}))
        known = lines_of("/etc/hosts")
        self.addCleanup(write_lines, "/etc/hosts", known)
        write_lines("/etc/hosts", [*known, *names])
        said = [pod.communicate(timeout=DEADLINE_S) for pod in pods]
        return [(pod.returncode, out, err) for pod, (out, err) in zip(pods, said)]

    def assert_shellcheck_is_content(self, *scripts):
        for script in scripts:
            self.assertEqual(run("shellcheck", "-s", "bash", "-", input=script).expect(0).stdout, "")

    def meet(self, *options, program):
        write("meet.py", MEET)
        pods = self.run_pods(self.manifest(*options, program=program))
        self.assertEqual([(status, err) for status, _, err in pods], [(0, "")] * len(pods))
        return [out.splitlines() for _, out, _ in pods]

    def test_of_an_indexed_job_find_one_another(self):
        said = self.meet(*INDEXED, program=["python3", f"{self.folder}/meet.py"])
        self.assertEqual(said[0], ["[0] 1 on 0 device 1 - - -", "[0] 2 on 1 device 0 - - -", "[0] 3 on 1 device 1 - - -",
                                   "run_node.sh: all 2 ranks are done; logs in device*/train.log"])

    def test_of_an_indexed_job_have_the_variables_of_launch(self):
        pods = self.run_pods(self.manifest(*INDEXED, program=["true"]))
        self.assertEqual([status for status, *_ in pods], [0, 0], pods)
        for rank in range(4):
            env = self.environment(f"pod{rank // 2}/ranks/device{rank % 2}/env.log")
            wanted = adarun("ranktable", "env", "pod0/job/rank_table.json", "--rank", rank, "--json").stdout
            for name, value in yaml.safe_load(wanted)["environment"].items():
                if name != "RANK_TABLE_FILE":
                    self.assertEqual(env.get(name), value, (rank, name))

    def environment(self, path):
        return dict(line.split("=", 1) for line in lines_of(path) if "=" in line)

    def test_get_all_words_unchanged(self):
        pods = self.run_pods(self.manifest(*INDEXED, program=["sh", "-c", 'printf "<%s>" "$@"', "I", *ODD_WORDS]))
        self.assertEqual([status for status, *_ in pods], [0, 0], pods)
        self.assertEqual(read("pod1/ranks/device1/train.log"), "".join(f"<{word}>" for word in ODD_WORDS))

    def test_of_a_job_run_the_programs_of_roles(self):
        said = self.meet(*INDEXED, "--role", "head=0", program=["python3", f"{self.folder}/meet.py", "--role", "worker=1-3", "--",
                                                               "python3", f"{self.folder}/meet.py"])
        self.assertEqual(said[0][:3], ["[0] 1 on 0 device 1 worker 0 3", "[0] 2 on 1 device 0 worker 1 3",
                                       "[0] 3 on 1 device 1 worker 2 3"])

    def test_of_a_jobset_are_those_of_their_roles(self):
        meet = ["python3", f"{self.folder}/meet.py"]
        said = self.meet(*ROLES, program=[*meet, "--role", "prefill=0-1", "--", *meet])
        self.assertEqual(said[0][:5], ["[0] 1 on 0 device 1 prefill 1 2", *(
            f"[0] {rank} on {rank // 2} device {rank % 2} decode {rank - 2} 4" for rank in range(2, 6))])

    def test_end_with_the_status_of_the_first_failure(self):
        pods = self.run_pods(self.manifest(*INDEXED, program=["sh", "-c", 'test "$RANK" != 3 || exit 7']))
        self.assertEqual([status for status, *_ in pods], [0, 7], pods)
        self.assertIn("run_node.sh: rank 3 (device 1) failed first here: exit code 7", pods[1][2])


    def test_wait_no_longer_than_they_say(self):
        command = self.manifest(*INDEXED)[-1]["spec"]["template"]["spec"]["containers"][0]["command"]
        write_program("getent", ["exec sleep 600"])
        words = [word.replace("1800", "1").replace("timeout 10 ", "timeout 0.1 ") for word in command]
        done = run(*words, env={"PATH": f"{self.folder}:{os.environ['PATH']}"})
        self.assertEqual((done.returncode, done.stderr), (1, "adarun-0.adarun has no address after half an hour\n"))


class Devices(Case):
    def test_that_a_plugin_chooses_are_told(self):
        write_lines("hosts", ["a devices=4,5", "b slots=2"])
        words = ["script", "k8s", "--hosts", "hosts", "--image", "i"]
        told = adarun(*words, "--resource", "nvidia.com/gpu=2", "--", "x")
        self.assertEqual((told.returncode, told.stderr),
                         (0, "adarun: script k8s: warning: devices 4,5 of a: DEVICE_ID names them, but the device plugin chooses, and a pod "
                          "may number its own from 0\n"))
        for more in [], ["--resource", "memory=4Gi"]:
            self.assertEqual(adarun(*words, *more, "--", "x").stderr, "")


class Refused(Case):
    def test_in_one_line(self):
        two = ["--nodes", "2", "--ntasks-per-node", "2"]
        image = ["--image", "i"]
        program = ["--", "x"]
        for words, said in (
                ([*two, *program], "script k8s: --image is required"),
                ([*two, "--image", "a b", *program], '--image: "a b": wanted an image such as registry/train:1'),
                ([*two, "--image", "-a", *program], '--image: "-a": wanted an image'),
                ([*two, "--image", "a\nb", *program], '--image: "a\\nb": wanted an image'),
                ([*two, *image, "--image", "j", *program], "--image j: a second image for all pods"),
                ([*two, *image, "--image", "a=j", *program], "--image a=j: there are no pods of a role a (--jobset"),
                ([*two, *image, "--resource", "gpu", *program], '--resource: "gpu": wanted NAME=COUNT such as'),
                ([*two, *image, "--resource", "gpu=8", *program], '--resource: "gpu=8": wanted NAME=COUNT'),
                ([*two, *image, "--resource", "nvidia.com/gpu=0.5", *program], '--resource: "nvidia.com/gpu=0.5": wanted NAME=COUNT'),
                ([*two, *image, "--exclude", "node1", *program], "--exclude excludes --nodes"),
                ([*two, *image, "--role", "a=0-3:optional", *program], "script k8s: --role a: background, optional and restarts are only"),
                ([*two, *image, "--resource", "a: b=1", *program], '--resource: "a: b=1": wanted NAME=COUNT'),
                ([*two, *image, "--resource", "gpu=-1", *program], '--resource: "gpu=-1": wanted NAME=COUNT'),
                ([*two, *image, "--name", "2a", *program], '--name: "2a": Kubernetes wants a letter first'),
                ([*two, *image, "--name", "a.b", *program], '--name: "a.b": wanted at most 50 lower-case letters'),
                (["--jobset", *image, "--hosts", "a:2", *program], "--jobset requires --nodes"),
                ([*two, *image, "--hosts", "a:2", *program], "--hosts excludes --nodes"),
                ([*two, *image, "--role", "a=0-1", *program], "--role: rank 2 is in no role"),
                (["--jobset", *two, *image, "--role", "a=0-2", *program, "--role", "b=3", *program],
                 "--role a: in a JobSet a role has pods of its own: wanted all of 2 ranks of each, one after another"),
                (["--jobset", *two, *image, "--role", "a=0,2", *program, "--role", "b=1,3", *program], "--role a: in a JobSet a role"),
                (["--jobset", *two, *image, "--role", "A=0-3", *program], "--role A: in a JobSet a name has lower-case letters"),
                (["--jobset", *two, "--image", "b=i", "--role", "a=0-1", *program, "--role", "b=2-3", *program],
                 "script k8s: --image is required, here for role a"),
                (["--jobset", *two, *image, "--name", "n" * 50, "--role", "a234567=0-3", *program], "--name: a pod's name would be nnnn"),
                (["--hosts", "a:2", "--image", "a=i", *program], "--image a=i: one image for all, but with --jobset")):
            done = adarun("script", "k8s", *words)
            self.assert_refused(done, 2, said)
