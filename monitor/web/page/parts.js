// SPDX-License-Identifier: Apache-2.0
// The parts of the page that are text. Whatever comes from a job is put in as text, never as markup.
import { numberText, secondsText, drawBars } from "/chart.js";

export const by = (id) => document.getElementById(id);

/** An element with attributes ("class", "title", on...) and children, which are elements or text. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** "1 rank", "16 ranks" */
const counted = (number, thing) => `${number} ${thing}${number === 1 ? "" : "s"}`;

const stateClass = { running: "good", done: "good", failed: "bad", lost: "bad", interrupted: "warn", stopped: "warn" };

export function showState(run) {
  by("title").textContent = run.command || run.id;
  const chip = by("state");
  chip.hidden = !run.state;
  chip.textContent = run.state;
  chip.className = `chip ${stateClass[run.state] ?? ""}`;
}

export const placeText = (point) => `epoch ${point.epoch} step ${point.step}`;

function facts(run) {
  const list = [];
  const add = (name, value, more) => { if (value !== null && value !== undefined) list.push([name, value, more ?? ""]); };
  if (run.now) {
    add("loss (median)", run.now.median === undefined ? "nan" : numberText(run.now.median), run.now.ranks > 1 ? `${numberText(run.now.min)} to ${numberText(run.now.max)}` : "");
    add("at", `${run.now.epoch} / ${run.now.step}`, "epoch / step" + (run.epochs ? ` of ${counted(run.epochs, "epoch")}` : ""));
  }
  if (run.best) add("best", numberText(run.best.median), placeText(run.best));
  add("ranks", run.ranks, "");
  add("step time", run.step_times.p50 === null ? null : `${numberText(run.step_times.p50)} ms`, "median");
  add("steps/s", run.steps_per_s === null ? null : numberText(run.steps_per_s), "as lines arrive");
  add("images/s", run.images_per_s === null ? null : Math.round(run.images_per_s).toLocaleString("en-US"), "as printed");
  add("accuracy", run.accuracy === null ? null : numberText(run.accuracy), "as printed");
  add("time", run.seconds === null ? null : secondsText(run.seconds), run.time_source);
  return list;
}

export function showFacts(run) {
  by("facts").replaceChildren(...facts(run).map(([name, value, more]) => make("div", { class: "fact" }, make("span", {}, name), make("b", {}, String(value)), make("small", { title: more }, more))));
}

/** `onFinding(finding)` when one is clicked. */
export function showFindings(run, onFinding) {
  if (run.findings.length === 0) { by("findings").replaceChildren(make("li", { class: "none" }, "nothing is wrong, as far as the losses tell")); return; }
  by("findings").replaceChildren(...run.findings.map((finding) => {
    const who = finding.rank === undefined ? "" : `rank ${finding.rank}${finding.node ? ` on ${finding.node}` : ""}, `;
    const when = finding.time_ms ? ` (${new Date(finding.time_ms).toLocaleString()})` : "";
    return make("li", {}, make("b", {}, finding.fault), make("button", { type: "button", onclick: () => onFinding(finding) }, `${who}${placeText(finding)}: ${finding.evidence}${when}`));
  }));
}

function lossCell(row) {
  if (row.position === undefined) return make("td", {}, "");
  return make("td", { class: row.loss === null ? "bad" : undefined }, numberText(row.loss));
}

/** `onRank(rank)` when a row is clicked, `onLog(rank)` for its log. */
export function showRanks(run, pinned, onRank, onLog) {
  const left = run.ranks - run.rows.length;
  by("rank-count").textContent = left > 0 ? `${run.rows.length} of ${run.ranks}, those in trouble first` : String(run.ranks);
  by("ranks").replaceChildren(...run.rows.map((row) => make("tr", { class: row.rank === pinned ? "pinned" : undefined, onclick: () => onRank(row.rank) },
    make("td", { class: row.troubled ? "bad" : undefined }, String(row.rank)), make("td", { title: row.node }, row.node),
    make("td", {}, row.position === undefined ? "" : row.position.toLocaleString("en-US")), lossCell(row),
    make("td", {}, row.step_ms === null ? "" : numberText(row.step_ms)), make("td", { class: stateClass[row.state] }, row.state),
    make("td", {}, row.log ? make("button", { type: "button", onclick: (event) => { event.stopPropagation(); onLog(row.rank); } }, "log") : null))));
}

export function showStepTimes(run) {
  const { bars, p50, p90, p99 } = run.step_times;
  by("quantiles").textContent = p50 === null ? "" : `median ${numberText(p50)} ms, 99 % below ${numberText(p99)} ms (${run.time_source})`;
  drawBars(by("times"), bars, { "50 %": p50, "90 %": p90, "99 %": p99 });
}

/** What AdaSum saw of each layer at the last step that tells. */
export function showLayers(run) {
  by("layers").hidden = !run.layers;
  if (!run.layers) return;
  by("layers-title").textContent = `${counted(run.layers.rows.length, "layer")} at ${placeText(run.layers)}`;
  by("layer-names").replaceChildren(...["layer", ...run.layers.names].map((name) => make("th", {}, name)));
  by("layer-rows").replaceChildren(...run.layers.rows.map(([layer, ...numbers]) => make("tr", {}, make("td", {}, layer), ...numbers.map((number) => make("td", {}, number === null ? "" : numberText(number))))));
}

/** The list of jobs: those that are shown are marked, each with the colour of its curve. */
export function showJobs(jobs, shown, onShow, onOverlay) {
  by("jobs").replaceChildren(...jobs.map((job) => {
    const index = shown.indexOf(job.id);
    const when = job.began_ms ? new Date(job.began_ms).toLocaleString() : "";
    const box = make("input", { type: "checkbox", title: "Lay over the others", "aria-label": `Show ${job.id}`, onchange: () => onOverlay(job.id) });
    box.checked = index >= 0;
    if (index >= 0) box.style.accentColor = `var(--c${index % 8})`;
    return make("li", { class: index >= 0 ? "shown" : undefined }, box,
      make("button", { type: "button", title: job.name, onclick: () => onShow(job.id) }, make("b", {}, job.name || job.id),
        ...[job.name && job.id !== job.name ? job.id : "", when].filter(Boolean).map((text) => make("small", {}, text)), make("small", {}, [job.state, job.ranks ? counted(job.ranks, "rank") : ""].filter(Boolean).join(", "))));
  }));
}
