// SPDX-License-Identifier: Apache-2.0
// The log of one rank: a page of lines at a time, at either end, with search.
import { ask } from "/api.js";
import { by, make } from "/parts.js";

const pageLines = 300, mostLines = 3000;

export class LogView {
  constructor(idOf) {
    this.idOf = idOf;
    this.from = this.to = this.size = 0;
    by("log-rank").addEventListener("change", () => this.open(this.rank));
    let pause = 0;
    by("log-find").addEventListener("input", () => { clearTimeout(pause); pause = setTimeout(() => this.open(this.rank), 250); });
    by("log-older").addEventListener("click", () => this.older());
    by("log-newer").addEventListener("click", () => this.newer());
    by("log-follow").addEventListener("change", () => { if (this.follows) this.open(this.rank); });
    by("log").addEventListener("scroll", () => { if (by("log").scrollTop === 0 && this.from > 0 && !this.busy) this.older(); });
  }

  get rank() { return Number(by("log-rank").value) || 0; }
  get find() { return by("log-find").value; }
  get follows() { return by("log-follow").checked; }

  /** Shows the end of a rank's log. */
  async open(rank) {
    by("log-rank").value = rank;
    await this.#fetch({ direction: "before" }, (page) => {
      by("log").replaceChildren(...page.lines.map((line) => this.#row(line)));
      this.from = page.from;
      this.to = endOfWhole(page);
      by("log").scrollTop = by("log").scrollHeight;
    });
  }

  /** After news: what was added since, where the end is followed. */
  async refresh() {
    if (!this.follows || this.busy) return;
    if (this.to === 0) { await this.open(this.rank); return; }
    await this.newer(true);
  }

  async older() {
    if (this.from === 0) return;
    await this.#fetch({ direction: "before", at: this.from }, (page) => {
      const log = by("log"), before = log.scrollHeight;
      log.prepend(...page.lines.map((line) => this.#row(line)));
      while (log.childElementCount > mostLines) { log.lastElementChild.remove(); this.to = Number(log.lastElementChild.dataset.end); }
      log.scrollTop += log.scrollHeight - before;
      this.from = page.from;
    });
  }

  async newer(quiet = false) {
    await this.#fetch({ direction: "after", at: this.to }, (page) => {
      if (page.size < this.to) { this.to = 0; this.open(this.rank); return; }  // it began anew
      const log = by("log"), atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
      const last = log.lastElementChild;
      // A line that had no end yet is shown again, whole.
      if (last && page.lines.length > 0 && Number(last.dataset.end) > page.lines[0].at) last.remove();
      log.append(...page.lines.map((line) => this.#row(line)));
      while (log.childElementCount > mostLines) { log.firstElementChild.remove(); this.from = Number(log.firstElementChild.dataset.at); }
      this.to = endOfWhole(page);
      if (atEnd || !quiet) log.scrollTop = log.scrollHeight;
    });
  }

  async #fetch(query, show) {
    const id = this.idOf(), asked = this.asked = Symbol("asked");
    if (!id) return;
    this.busy = true;
    try {
      const page = await ask("/api/log", { id, rank: this.rank, lines: pageLines, find: this.find || undefined, ...query });
      if (asked !== this.asked) return;
      this.size = page.size;
      show(page);
      this.#status();
    } catch (error) {
      if (asked !== this.asked) return;
      by("log").replaceChildren();
      this.from = this.to = 0;
      by("log-status").textContent = error.message;
    } finally {
      if (asked === this.asked) this.busy = false;
    }
  }

  #status() {
    const kib = (bytes) => `${Math.ceil(bytes / 1024).toLocaleString("en-US")} KiB`;
    const lines = by("log").childElementCount;
    by("log-status").textContent = this.find ? `${lines} lines found in ${kib(this.to - this.from)} of ${kib(this.size)}` : `${lines} lines, ${kib(this.to - this.from)} of ${kib(this.size)}`;
    by("log-older").disabled = this.from === 0;
    by("log-newer").disabled = this.to >= this.size;
  }

  #row(line) {
    const row = make("div", { title: `byte ${line.at.toLocaleString("en-US")}`, "data-at": line.at, "data-end": line.at + line.bytes });
    row.append(...marked(line.text, this.find));
    if (line.text === "") row.append("\u00a0");
    if (line.bytes > 4096) row.append(make("i", {}, `  \u2026 ${(line.bytes - 4096).toLocaleString("en-US")} more bytes`));
    return row;
  }
}

/** Up to where a page has whole lines: a last one without its end is asked for again. */
function endOfWhole(page) {
  const last = page.lines.at(-1);
  return last && last.at + last.bytes === page.to && page.to === page.size ? last.at : page.to;
}

/** `text` in pieces, those that were searched for marked. */
function marked(text, find) {
  if (!find) return [text];
  const pieces = [], small = text.toLowerCase(), wanted = find.toLowerCase();
  let at = 0;
  if (small.length !== text.length) return [text];
  for (let found = small.indexOf(wanted); found >= 0; found = small.indexOf(wanted, at)) {
    pieces.push(text.slice(at, found), make("mark", {}, text.slice(found, found + find.length)));
    at = found + find.length;
  }
  pieces.push(text.slice(at));
  return pieces;
}
