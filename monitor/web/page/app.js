// SPDX-License-Identifier: Apache-2.0
// The page: which runs are shown and how, and what is fetched for it when something has changed.
import { ask, listen, throttled } from "/api.js";
import { Chart, numberText, secondsText, shortText } from "/chart.js";
import { LogView } from "/log.js";
import { by, make, placeText, showFacts, showFindings, showJobs, showLayers, showRanks, showState, showStepTimes } from "/parts.js";

const state = { listed: false, jobs: [], shown: [], runs: {}, curves: {}, axis: "step", pinned: null, near: null, tip: null };
const main = () => state.shown[0];
const log = new LogView(main);

const chart = new Chart(by("loss"), {
  zoom: true,
  xText: (x) => (state.axis === "time" ? secondsText : shortText)(x),
  leastTick: () => state.axis === "time" ? 0 : 1,
  empty: () => isLoading() ? "loading" : !main() ? "no job yet" : state.axis === "time" && state.runs[main()]?.seconds === null ? "when steps ended is not known: these logs have no times" : "no loss line yet",
  onView: () => { by("whole").disabled = chart.view === null; refreshCurves(); },
  onHover: hover,
  onClick: () => pin(state.near === state.pinned ? null : state.near),
});

/** Whether it is not known yet what there is to show. */
function isLoading() { return !state.listed || (main() !== undefined && (!state.curves[main()] || state.runs[main()]?.reading)); }

// Fetching ------------------------------------------------------------------------------------------------------------

const refresh = throttled(async () => {
  const listed = await ask("/api/jobs");
  state.jobs = listed.jobs;
  state.listed = true;
  if (state.shown.length === 0) state.shown = listed.shown.length > 0 ? [...listed.shown] : listed.jobs.slice(0, 1).map((job) => job.id);
  showJobs(state.jobs, state.shown, show, overlay);
  for (const id of state.shown) {
    try { state.runs[id] = await ask("/api/run", { id }); } catch (error) { complain(error.message); }
  }
  const run = state.runs[main()];
  if (run) showRun(run);
  await fetchCurves();
  await log.refresh();
}, 250);

const refreshCurves = throttled(fetchCurves, 60);

async function fetchCurves() {
  const [from, to] = chart.view ?? [];
  const slices = Math.max(200, Math.round(by("loss").clientWidth * 0.75));
  const query = { axis: state.axis, from, to, slices };
  const rank = state.pinned ?? state.near;
  const curves = {};
  for (const id of state.shown) curves[id] = await ask("/api/chart", { id, ...query });
  curves.rank = rank === null || !main() ? null : await ask("/api/chart", { id: main(), rank, ...query });
  state.curves = curves;
  drawCurves();
  await fetchQuantities(query);
}

function drawCurves() {
  const extents = state.shown.map((id) => state.runs[id]).filter(Boolean);
  const last = Math.max(...extents.map((run) => state.axis === "time" ? run.seconds ?? 0 : run.position), 1);
  const first = state.axis === "time" ? 0 : Math.min(...extents.map((run) => run.first?.position ?? 0), last - 1);
  chart.extent = [first, last];
  chart.series = state.shown.filter((id) => state.curves[id]).map((id, i) => ({ data: state.curves[id], colour: `--c${i % 8}`, band: true }));
  chart.marks = marksOf(state.runs[main()]);
  if (state.curves.rank) chart.series.push({ data: state.curves.rank, colour: "--c1", width: 1.2 });
  chart.draw();
  legend();
}

/** Where attempts at the job took over. */
function marksOf(run) {
  const marks = (run?.attempts ?? []).map((each) => ({ x: state.axis === "time" ? each.seconds : each.position, text: `attempt ${each.attempt}: ${each.change}` }));
  return marks.filter(({ x }) => x !== null);
}

function legend() {
  const keys = state.shown.length > 1 ? state.shown.map((id, i) => [nameOf(id), `var(--c${i % 8})`]) : [["median, lowest to highest rank", "var(--c0)"]];
  const rank = state.pinned ?? state.near;
  if (rank !== null && state.curves.rank) keys.push([`rank ${rank}${state.pinned === null ? "" : " (kept)"}`, "var(--c1)"]);
  by("legend").replaceChildren(...keys.map(([name, colour]) => { const key = make("span", { class: "key" }, name); key.style.setProperty("--key", colour); return key; }));
}

function nameOf(id) { const job = state.jobs.find((each) => each.id === id); return job?.name && state.jobs.filter((each) => each.name === job.name).length === 1 ? job.name : id; }

// Metrics beside the loss, AdaSum's first ------------------------------------------------------------------------------

const quantityCharts = new Map();

async function fetchQuantities(query) {
  const names = [...(state.runs[main()]?.quantities ?? [])].sort((a, b) => b.includes("adasum") - a.includes("adasum"));
  by("quantities-panel").hidden = names.length === 0;
  for (const [name, entry] of quantityCharts) if (!names.includes(name)) { entry.box.remove(); quantityCharts.delete(name); }
  for (const name of names) {
    const entry = quantityCharts.get(name) ?? addQuantity(name);
    const data = await ask("/api/chart", { id: main(), quantity: name, ...query, slices: 250 });
    entry.chart.extent = chart.range;
    entry.chart.marks = chart.marks.map(({ x }) => ({ x, text: "" }));
    entry.chart.series = [{ data, colour: "--c0", band: true }];
    entry.value.textContent = numberText(data.middle.findLast((value) => value !== null));
    entry.chart.draw();
  }
}

function addQuantity(name) {
  const canvas = make("canvas"), value = make("b");
  const box = make("div", {}, make("h3", {}, name, value), make("div", { class: "plot" }, canvas));
  by("quantities").append(box);
  const entry = { box, value, chart: new Chart(canvas, { xText: chart.options.xText, leastTick: chart.options.leastTick }) };
  quantityCharts.set(name, entry);
  return entry;
}

// Showing -------------------------------------------------------------------------------------------------------------

function showRun(run) {
  if (by("live").textContent === "live") complain(run.trouble);
  showState(run);
  showFacts(run);
  showFindings(run, (finding) => { if (finding.rank !== undefined) { pin(finding.rank); log.open(finding.rank); } zoomTo(finding.position); });
  showRanks(run, state.pinned, (rank) => pin(rank === state.pinned ? null : rank), (rank) => log.open(rank));
  showStepTimes(run);
  showLayers(run);
  const parts = run.attempts.slice(-3).map((each) => `attempt ${each.attempt} from ${placeText(each)}: ${each.change}`);
  if (run.stride > 1) parts.push(`each point stands for ${run.stride} steps: lowest, mean and highest are kept`);
  if (state.axis === "time") parts.push(`times are ${run.time_source}`);
  parts.push("drag or turn the wheel to zoom, double-click for the whole run; a click keeps the rank under the pointer");
  by("note").textContent = parts.join("; ");
}

function zoomTo(position) {
  if (state.axis !== "step") return;
  const [low, high] = chart.extent, width = Math.max((high - low) / 20, 20);
  chart.setView([position - width, position + width]);
}

function show(id) { state.shown = [id]; newRuns(); }

function overlay(id) {
  const without = state.shown.filter((each) => each !== id);
  if (without.length === state.shown.length) without.push(id);
  if (without.length > 0) state.shown = without.slice(0, 8);
  newRuns();
}

function newRuns() {
  state.pinned = state.near = null;
  state.curves = {};
  by("tip").hidden = true;
  complain("");
  chart.view = null;
  showJobs(state.jobs, state.shown, show, overlay);
  log.open(0);
  refresh();
}

function pin(rank) {
  state.pinned = rank;
  const run = state.runs[main()];
  if (run) showRun(run);
  refreshCurves();
}

function complain(words) { by("banner").textContent = words; by("banner").hidden = !words; }

// The pointer ---------------------------------------------------------------------------------------------------------

let pointer = null;
const lookCloser = throttled(async () => {
  const at = pointer;
  if (!at || !main()) return;
  state.tip = await ask("/api/at", { id: main(), axis: state.axis, x: at.x });
  if (!pointer || state.tip.ranks === undefined) { by("tip").hidden = true; return; }
  const near = nearest(state.tip, pointer.y);
  if (near !== state.near && state.pinned === null) { state.near = near; refreshCurves(); }
  state.near = near;
  showTip();
}, 40);

function nearest(tip, y) {
  let found = null, best = Infinity;
  tip.ranks.forEach((rank, i) => { const away = tip.losses[i] === null ? Infinity : Math.abs(tip.losses[i] - y); if (away < best) { best = away; found = rank; } });
  return found;
}

function hover(x, y, px, py) {
  pointer = x === null ? null : { x, y, px, py };
  if (pointer) { lookCloser(); return; }
  by("tip").hidden = true;
  if (state.near !== null && state.pinned === null) { state.near = null; refreshCurves(); }
}

function showTip() {
  const { ranks, losses } = state.tip, tip = by("tip");
  const sorted = ranks.map((rank, i) => ({ rank, loss: losses[i] })).sort((a, b) => (b.loss ?? Infinity) - (a.loss ?? Infinity));
  const some = sorted.length <= 9 ? sorted : [...sorted.slice(0, 4), null, ...sorted.slice(-4)];
  if (some.length === 9 && !some.some((each) => each?.rank === state.near)) some[4] = sorted.find((each) => each.rank === state.near) ?? null;
  tip.replaceChildren(make("b", {}, placeText(state.tip)), ...some.map((each) => each === null ? make("div", {}, "\u2026") : make("div", { class: each.rank === state.near ? "near" : undefined }, make("span", {}, `rank ${each.rank}`), make("span", {}, numberText(each.loss)))));
  tip.hidden = false;
  const wide = tip.offsetWidth, flip = pointer.px + wide + 24 > by("loss").clientWidth;
  tip.style.left = `${flip ? pointer.px - wide - 14 : pointer.px + 14}px`;
  tip.style.top = `${Math.max(0, Math.min(pointer.py - 20, by("loss").clientHeight - tip.offsetHeight))}px`;
}

// Controls ------------------------------------------------------------------------------------------------------------

function chooseAxis(axis) {
  state.axis = axis;
  by("axis-step").setAttribute("aria-pressed", axis === "step");
  by("axis-time").setAttribute("aria-pressed", axis === "time");
  chart.view = null;
  by("whole").disabled = true;
  if (state.runs[main()]) showRun(state.runs[main()]);
  refreshCurves();
}

by("axis-step").addEventListener("click", () => chooseAxis("step"));
by("axis-time").addEventListener("click", () => chooseAxis("time"));
by("whole").addEventListener("click", () => chart.setView(null));
by("log-scale").addEventListener("click", () => { chart.logScale = !chart.logScale; by("log-scale").setAttribute("aria-pressed", chart.logScale); chart.draw(); });
by("smooth").addEventListener("input", () => { chart.smooth = [0, .5, .7, .8, .87, .92, .95, .97, .98, .99][by("smooth").value]; chart.draw(); });

const dark = matchMedia("(prefers-color-scheme: dark)");
let theme = "system";
try { theme = localStorage.getItem("adarun-theme") ?? "system"; } catch { /* a browser without storage */ }

function paintTheme() {
  document.documentElement.dataset.theme = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
  by("theme").textContent = `theme: ${theme}`;
  chart.draw();
  for (const { chart: each } of quantityCharts.values()) each.draw();
  if (state.runs[main()]) showStepTimes(state.runs[main()]);
}

by("theme").addEventListener("click", () => {
  theme = { system: "dark", dark: "light", light: "system" }[theme] ?? "dark";
  try { localStorage.setItem("adarun-theme", theme); } catch { /* likewise */ }
  paintTheme();
});
dark.addEventListener("change", paintTheme);
paintTheme();

listen(refresh, (kind, words) => {
  by("live").textContent = { live: "live", lost: "not connected", refused: "refused" }[kind];
  by("live").className = `chip ${kind === "live" ? "good" : "bad"}`;
  complain(words);
});
refresh();
