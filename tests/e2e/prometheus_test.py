# SPDX-License-Identifier: Apache-2.0
"""What adarun monitor --serve tells Prometheus: names and types by its conventions, and the pages that name them."""
import os
import re
import shutil
import subprocess

from browser import PageCase, at, get
from e2e import DEADLINE_S, read, read_json

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LABELS = {"run", "rank", "node", "state", "fault", "quantile"}
NO_BASE_UNITS = {"ns", "us", "ms", "milliseconds", "microseconds", "minutes", "hours", "kb", "mb", "kib", "mib", "kilobytes", "percent"}
SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)\{((?:[a-z]+="(?:[^"\\]|\\["\\n])*",?)+)\} (\S+)')
METRIC = r"\badarun_\w+"
LINES = ["epoch: 1 step: 1, loss is 2.5", "step 2: train loss 2, val loss 3", "Train epoch time: 50.000 ms, per step time: 10.000 ms",
         "throughput: 1234.5 images/s", "Eval result: epoch 1, metrics: {'accuracy': 0.6171875}"]


class Family:
    """What is told under one name: its type, its help, and (name, labels) of each sample."""

    def __init__(self, helped):
        self.help = helped
        self.type = ""
        self.samples = []


def families_in(text):
    """Name -> family. Raises AssertionError for a line out of place: each family has help, type, then all of its samples."""
    found, name = {}, None
    for line in text.splitlines():
        if line.startswith("# HELP "):
            _, _, name, helped = line.split(" ", 3)
            assert name not in found, f"{name} comes twice"
            found[name] = Family(helped)
        elif line.startswith("# TYPE "):
            assert line.split()[2] == name and not found[name].type, line
            found[name].type = line.split()[3]
        else:
            sample = SAMPLE.fullmatch(line)
            assert sample and found[name].type, line
            assert sample[1] in ({name, f"{name}_sum", f"{name}_count"} if found[name].type == "summary" else {name}), line
            float(sample[3])
            found[name].samples.append((sample[1], dict(re.findall(r'([a-z]+)="((?:[^"\\]|\\.)*)"', sample[2]))))
    return found


def breaches(name, family):
    """What Prometheus' conventions and promtool check metrics have against a family."""
    words = name.split("_")
    labels = [labels for _, labels in family.samples]
    rules = {
        "begins with adarun_, in snake case": re.fullmatch(r"adarun(_[a-z][a-z0-9]*)+", name),
        "is in base units": not NO_BASE_UNITS & set(words),
        "_total is of counters": (words[-1] == "total") == (family.type == "counter"),
        "suffixes of summaries are theirs": words[-1] not in ("sum", "count", "bucket", "info"),
        "its type is known": family.type in ("gauge", "counter", "summary"),
        "the unit comes last": not {"seconds", "bytes", "ratio"} & set(words[:-1]) or words[-1] == "total",
        "a time of day says so": "timestamp" not in words or words[-2:] == ["timestamp", "seconds"],
        "quantiles are of summaries": family.type == "summary" or not any("quantile" in each for each in labels),
        "its labels are few and known": all(set(each) <= LABELS and "run" in each for each in labels),
        "labels are not in its name": not re.search(r"_(by|per)_(run|rank|node|state|fault)", name),
        "it is explained in a sentence": re.fullmatch(r"[A-Z].{10,}\.", family.help),
        "no sample is there twice": len({repr(sample) for sample in family.samples}) == len(family.samples) > 0,
    }
    return [f"{name}: {rule}" for rule, holds in rules.items() if not holds]


def board():
    return read_json(os.path.join(SOURCE, "examples/grafana/adarun.json"))


def expressions(whole):
    """What a board of Grafana asks Prometheus: expressions of its panels, queries of its variables."""
    queries = [each["definition"] for each in whole["templating"]["list"] if each["type"] == "query"]
    return queries + [target["expr"] for panel in whole["panels"] for target in panel["targets"]]


def untold(whole, families):
    """The names and labels that a board asks for and no family has."""
    samples = {sample: labels for family in families.values() for sample, labels in family.samples}
    missing = []
    for text in expressions(whole):
        names = re.findall(METRIC, text)
        assert names, text
        missing += [name for name in names if name not in samples]
        known = {label for name in names for label in samples.get(name, ())} | {"instance"}
        lists = re.findall(r"(?:(?:by|on) \(|label_values\(\w+, )([^)]*)\)", text)
        asked = re.findall(r"(\w+)(?:=~|!=|=)\"", text) + re.findall(r"\w+", " ".join(lists))
        missing += [f"{label} of {text}" for label in asked if label not in known and set(names) <= set(samples)]
    return missing


class Prometheus(PageCase):
    maxDiff = None

    def setUp(self):
        super().setUp()
        for rank in range(2):
            self.write_log(rank, LINES)
        status, self.text, headers = get(at(self.serve(), "metrics"))
        self.assertEqual((status, headers["Content-Type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
        self.families = families_in(self.text)

    def test_names_follow_its_conventions(self):
        self.assertEqual([wrong for name, family in self.families.items() for wrong in breaches(name, family)], [])

    def test_breaches_are_found(self):
        for name, kind, label in (("adarun_step_ms", "gauge", "run"), ("adarun_steps_total", "gauge", "run"), ("adarun_steps", "counter", "run"),
                                  ("adarun_step_seconds", "gauge", "quantile"), ("adarun_seconds_step", "gauge", "run"),
                                  ("Adarun_step", "gauge", "run"), ("adarun_loss", "gauge", "command"), ("adarun_loss_by_rank", "gauge", "run"),
                                  ("adarun_loss", "histogram", "run")):
            family = Family("What it is, in a sentence.")
            family.type, family.samples = kind, [(name, {"run": "a", label: "b"})]
            self.assertEqual(len(breaches(name, family)), 1, breaches(name, family))

    def test_promtool_agrees(self):
        promtool = shutil.which("promtool")
        if promtool is None:
            self.skipTest("there is no promtool here")
        done = subprocess.run([promtool, "check", "metrics"], input=self.text, capture_output=True, text=True, check=False, timeout=DEADLINE_S)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_all_are_on_the_page(self):
        page = read(os.path.join(SOURCE, "examples/grafana/README.md"))
        self.assertEqual(set(re.findall(r"\badarun_[a-z_]+", page)), set(self.families))

    def test_the_board_shows_what_is_told(self):
        self.assertEqual(untold(board(), self.families), [])
        for old, new, count in (("adarun_loss_m", "adarun_lost_m", 3), ("adarun_ranks", "adarun_nodes", 3), ('run="', 'job="', 17)):
            missing = untold(board(), families_in(self.text.replace(old, new)))
            self.assertEqual(len(set(missing)), count, missing)
        told = {sample for family in self.families.values() for sample, _ in family.samples if not sample.endswith(("_sum", "_count"))}
        shown = {name for text in expressions(board()) for name in re.findall(METRIC, text)}
        self.assertEqual(told - shown, {"adarun_rank_loss", "adarun_rank_step_duration_seconds"}, "of one rank: not on the board")

    def test_the_board_has_the_structure_of_grafana(self):
        whole = board()
        self.assertEqual((whole["uid"], whole["title"]), ("adarun-jobs", "adarun"))
        self.assertGreaterEqual(whole["schemaVersion"], 36)
        self.assertNotIn("id", whole)  # Grafana gives it its number.
        self.assertEqual([(each["name"], each["type"]) for each in whole["templating"]["list"]], [("datasource", "datasource"), ("job", "query")])
        panels = whole["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        taken = set()
        for panel in panels:
            self.assertLessEqual({"id", "type", "title", "description", "datasource", "gridPos", "targets", "fieldConfig", "options"}, set(panel))
            self.assertIn(panel["type"], ("stat", "table", "timeseries"))
            refs = [target["refId"] for target in panel["targets"]]
            self.assertTrue(refs and len(set(refs)) == len(refs), panel["title"])
            for each in (panel, *panel["targets"]):
                self.assertEqual(each["datasource"], {"type": "prometheus", "uid": "${datasource}"}, panel["title"])
            self.assertTrue(all("$job" in target["expr"] for target in panel["targets"]), panel["title"])
            place = panel["gridPos"]
            cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
            self.assertTrue(cells and min(place.values()) >= 0 and place["x"] + place["w"] <= 24, panel["title"])
            self.assertFalse(cells & taken, f"{panel['title']} lies over another panel")
            taken |= cells
