// SPDX-License-Identifier: Apache-2.0
// Curves with bands on a canvas. What is drawn comes decimated: some hundreds of points, however long the run.

const left = 58, right = 12, top = 10, bottom = 22;

export function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

export function numberText(value) {
  if (value === null || value === undefined) return "nan";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(2).replace("e+", "e");
  if (size >= 1000) return Math.round(value).toLocaleString("en-US");
  return size >= 100 ? value.toFixed(1) : size >= 10 ? value.toFixed(2) : value.toFixed(4);
}

export function secondsText(s) {
  if (s < 1) return `${Math.round(s * 1000)} ms`;
  if (s < 60) return `${s < 10 ? s.toFixed(1) : Math.round(s)} s`;
  if (s < 3600) return `${Math.floor(s / 60)}m ${String(Math.floor(s % 60)).padStart(2, "0")}s`;
  return `${Math.floor(s / 3600)}h ${String(Math.floor((s % 3600) / 60)).padStart(2, "0")}m`;
}

/** Round numbers in [from, to], about `count` of them, at least `least` apart. */
function ticks(from, to, count, least = 0) {
  const raw = Math.max((to - from) / Math.max(1, count), least);
  if (!(raw > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw);
  const found = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; ++i) found.push(Number((i * step).toPrecision(12)));
  return found;
}

function logTicks(from, to) {
  const found = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); ++power)
    for (const each of [1, 2, 5]) { const at = each * 10 ** power; if (at >= from && at <= to) found.push(at); }
  return found.length > 8 ? found.filter((at) => Math.abs(Math.log10(at) - Math.round(Math.log10(at))) < 1e-9) : found;
}

/** A running mean of a curve, `weight` in [0, 1) of what was before; gaps stay. */
function smoothed(values, weight) {
  if (weight === 0) return values;
  let mean = null;
  return values.map((value) => value === null ? null : (mean = mean === null ? value : weight * mean + (1 - weight) * value));
}

export class Chart {
  /**
   * `options`: xText(x), leastTick() between them, yText(y), zoom (whether a drag, the wheel and keys change `view`), onView(), onHover(x, y, px,
   * py) with null x when the pointer is gone, onClick(x, y).
   */
  constructor(canvas, options = {}) {
    this.canvas = canvas;
    this.options = options;
    this.series = [];      // {data, colour, band, dashed, width}
    this.marks = [];       // {x, text}, by ascending x: vertical lines
    this.extent = [0, 1];  // of the whole run
    this.view = null;      // [from, to], or null: the whole run
    this.logScale = false;
    this.smooth = 0;
    this.hover = null;     // x
    this.frame = 0;
    new ResizeObserver(() => this.draw()).observe(canvas);
    if (options.onHover || options.zoom) this.#listen();
  }

  get range() { return this.view ?? this.extent; }

  setView(view) {
    if (view) {
      const [low, high] = this.extent;
      const width = Math.min(Math.max(view[1] - view[0], (high - low) * 1e-6), high - low);
      const from = Math.min(Math.max(view[0], low), high - width);
      view = width >= high - low ? null : [from, from + width];
    }
    this.view = view;
    this.draw();
    this.options.onView?.();
  }

  draw() { if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; this.#paint(); }); }

  x(px) { const [from, to] = this.range; return from + (px - left) / (this.width - left - right) * (to - from); }
  px(x) { const [from, to] = this.range; return left + (x - from) / (to - from || 1) * (this.width - left - right); }
  y(py) { return this.#unscale(this.low + (this.height - bottom - py) / (this.height - top - bottom) * (this.high - this.low)); }
  py(y) { return this.height - bottom - (this.#scale(y) - this.low) / (this.high - this.low || 1) * (this.height - top - bottom); }

  #scale(y) { return this.logScale ? Math.log10(Math.max(y, this.floor)) : y; }
  #unscale(y) { return this.logScale ? 10 ** y : y; }

  #fit() {
    const [from, to] = this.range;
    let low = Infinity, high = -Infinity, floor = Infinity;
    for (const { data } of this.series)
      for (let i = 0; i < data.x.length; ++i) {
        if (data.x[i] < from || data.x[i] > to || data.low[i] === null) continue;
        low = Math.min(low, data.low[i]); high = Math.max(high, data.high[i]);
        if (data.low[i] > 0) floor = Math.min(floor, data.low[i]);
        if (data.high[i] > 0) floor = Math.min(floor, data.high[i]);
      }
    if (low > high) { low = 0; high = 1; floor = 0.1; }
    this.floor = Number.isFinite(floor) ? floor : 1e-12;
    this.low = this.#scale(low); this.high = this.#scale(high);
    const room = (this.high - this.low) * 0.05 || Math.abs(this.high) * 0.1 || 1;
    this.low = !this.logScale && low >= 0 ? Math.max(0, this.low - room) : this.low - room;
    this.high += room;
  }

  #paint() {
    const box = this.canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    if (box.width === 0) return;
    this.width = box.width; this.height = box.height;
    const wide = Math.round(box.width * ratio), high = Math.round(box.height * ratio);
    if (this.canvas.width !== wide || this.canvas.height !== high) { this.canvas.width = wide; this.canvas.height = high; }
    const to = this.canvas.getContext("2d");
    to.setTransform(ratio, 0, 0, ratio, 0, 0);
    to.clearRect(0, 0, this.width, this.height);
    this.#fit();
    this.#axes(to);
    to.save();
    to.beginPath(); to.rect(left, top - 4, this.width - left - right, this.height - top - bottom + 8); to.clip();
    this.#marks(to);
    for (const each of this.series) if (each.band) this.#band(to, each);
    for (const each of this.series) { this.#line(to, each); this.#gaps(to, each); }
    this.#pointer(to);
    to.restore();
    if (this.series.every(({ data }) => data.x.length === 0)) this.#empty(to);
  }

  #empty(to) {
    to.fillStyle = colour("--dim"); to.textAlign = "center"; to.font = "13px system-ui, sans-serif";
    to.fillText(this.options.empty?.() ?? "nothing yet", (left + this.width - right) / 2, this.height / 2);
  }

  #axes(to) {
    const [from, until] = this.range;
    to.font = "11px system-ui, sans-serif"; to.fillStyle = colour("--dim"); to.strokeStyle = colour("--grid"); to.lineWidth = 1;
    to.textAlign = "right"; to.textBaseline = "middle";
    const marks = this.logScale ? logTicks(10 ** this.low, 10 ** this.high) : ticks(this.low, this.high, Math.max(3, this.height / 50));
    for (const y of marks) {
      const at = Math.round(this.py(y)) + 0.5;
      to.beginPath(); to.moveTo(left, at); to.lineTo(this.width - right, at); to.stroke();
      to.fillText((this.options.yText ?? shortText)(y), left - 6, at);
    }
    to.textBaseline = "top"; to.textAlign = "center";
    for (const x of ticks(from, until, this.width / 110, this.options.leastTick?.())) {
      const at = Math.round(this.px(x)) + 0.5;
      to.beginPath(); to.moveTo(at, top); to.lineTo(at, this.height - bottom); to.stroke();
      to.fillText((this.options.xText ?? shortText)(x), Math.min(at, this.width - right - 12), this.height - bottom + 6);
    }
  }

  // Each with its text, where there is room before the next one.
  #marks(to) {
    const [from, until] = this.range, shown = this.marks.filter(({ x }) => x >= from && x <= until);
    to.font = "11px system-ui, sans-serif"; to.fillStyle = to.strokeStyle = colour("--warn"); to.lineWidth = 1;
    to.textAlign = "left"; to.textBaseline = "top"; to.setLineDash([4, 3]);
    shown.forEach(({ x, text }, i) => {
      const at = Math.round(this.px(x)) + 0.5, room = (i + 1 < shown.length ? this.px(shown[i + 1].x) : this.width - right) - at - 8;
      to.beginPath(); to.moveTo(at, top); to.lineTo(at, this.height - bottom); to.stroke();
      if (to.measureText(text).width < room) to.fillText(text, at + 4, top);
    });
    to.setLineDash([]);
  }

  #band(to, { data, colour: name }) {
    to.fillStyle = colour(name); to.globalAlpha = 0.18;
    for (const [begin, end] of stretches(data.low)) {
      to.beginPath();
      for (let i = begin; i < end; ++i) to.lineTo(this.px(data.x[i]), this.py(data.high[i]));
      for (let i = end; i-- > begin;) to.lineTo(this.px(data.x[i]), this.py(data.low[i]));
      to.closePath(); to.fill();
    }
    to.globalAlpha = 1;
  }

  #line(to, { data, colour: name, width = 1.6, dashed = false }) {
    to.strokeStyle = to.fillStyle = colour(name); to.lineWidth = width; to.lineJoin = "round"; to.setLineDash(dashed ? [5, 3] : []);
    const middle = smoothed(data.middle, this.smooth);
    for (const [begin, end] of stretches(middle)) {
      to.beginPath();
      for (let i = begin; i < end; ++i) {
        const x = this.px(data.x[i]);
        // A slice of many points is a vertical stroke over all of them.
        if (this.smooth === 0 && data.middle_low[i] !== data.middle_high[i]) { to.lineTo(x, this.py(data.middle_high[i])); to.lineTo(x, this.py(data.middle_low[i])); }
        else to.lineTo(x, this.py(middle[i]));
      }
      to.stroke();
      if (end - begin === 1) { to.beginPath(); to.arc(this.px(data.x[begin]), this.py(middle[begin]), 2, 0, 7); to.fill(); }
    }
    to.setLineDash([]);
  }

  #gaps(to, { data }) {
    to.fillStyle = colour("--bad");
    data.bad.forEach((bad, i) => { if (bad > 0) to.fillRect(this.px(data.x[i]) - 1, this.height - bottom - 5, 2, 5); });
  }

  #pointer(to) {
    if (this.drag && this.drag.to !== this.drag.from) {
      to.fillStyle = colour("--accent"); to.globalAlpha = 0.15;
      to.fillRect(Math.min(this.drag.from, this.drag.to), top, Math.abs(this.drag.to - this.drag.from), this.height - top - bottom);
      to.globalAlpha = 1;
    }
    if (this.hover === null) return;
    const at = this.px(this.hover);
    to.strokeStyle = colour("--dim"); to.lineWidth = 1; to.setLineDash([3, 3]);
    to.beginPath(); to.moveTo(at, top); to.lineTo(at, this.height - bottom); to.stroke();
    to.setLineDash([]);
  }

  #listen() {
    const place = (event) => { const box = this.canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    this.canvas.addEventListener("pointerdown", (event) => {
      const [px] = place(event);
      this.drag = { from: px, to: px };
      try { this.canvas.setPointerCapture(event.pointerId); } catch { /* not a real pointer */ }
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const [px, py] = place(event);
      if (this.drag) this.drag.to = Math.min(Math.max(px, left), this.width - right);
      const inside = px >= left && px <= this.width - right;
      this.hover = inside ? this.x(px) : null;
      this.options.onHover?.(this.hover, inside ? this.y(py) : null, px, py);
      this.draw();
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const [px, py] = place(event), drag = this.drag;
      this.drag = null;
      if (drag && this.options.zoom && Math.abs(drag.to - drag.from) > 5) this.setView([this.x(Math.min(drag.from, drag.to)), this.x(Math.max(drag.from, drag.to))]);
      else if (drag) this.options.onClick?.(this.x(px), this.y(py));
      this.draw();
    });
    this.canvas.addEventListener("pointerleave", () => { this.hover = null; this.drag = null; this.options.onHover?.(null, null, 0, 0); this.draw(); });
    if (this.options.zoom) this.#listenForZoom(place);
  }

  #listenForZoom(place) {
    this.canvas.addEventListener("dblclick", () => this.setView(null));
    this.canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.zoomAt(this.x(place(event)[0]), event.deltaY > 0 ? 1.25 : 0.8); }, { passive: false });
    this.canvas.addEventListener("keydown", (event) => {
      const [from, to] = this.range, step = (to - from) / 8;
      if (event.key === "ArrowLeft") this.setView([from - step, to - step]);
      else if (event.key === "ArrowRight") this.setView([from + step, to + step]);
      else if (event.key === "+" || event.key === "=") this.zoomAt((from + to) / 2, 0.5);
      else if (event.key === "-") this.zoomAt((from + to) / 2, 2);
      else if (event.key === "0" || event.key === "Escape") this.setView(null);
      else return;
      event.preventDefault();
    });
  }

  /** Makes the range `factor` as wide, `x` staying where it is. */
  zoomAt(x, factor) { const [from, to] = this.range; this.setView([x - (x - from) * factor, x + (to - x) * factor]); }
}

/** A number beside a tick of an axis. */
export function shortText(value) {
  const size = Math.abs(value);
  if (size >= 1e6) return `${+(value / 1e6).toPrecision(5)}M`;
  if (size >= 1e4) return `${+(value / 1e3).toPrecision(5)}k`;
  if (size !== 0 && size < 1e-3) return value.toExponential(0).replace("e+", "e");
  return String(+value.toPrecision(6));
}

/** [begin, end) of each run of values that are not null. */
function stretches(values) {
  const found = [];
  for (let i = 0; i < values.length; ++i) {
    if (values[i] === null) continue;
    const begin = i;
    while (i < values.length && values[i] !== null) ++i;
    found.push([begin, i]);
  }
  return found;
}

/** Bars [[from, to, count], ...] on a canvas, `marks` {label: x} as vertical lines. */
export function drawBars(canvas, bars, marks) {
  const box = canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
  if (box.width === 0) return;
  canvas.width = Math.round(box.width * ratio); canvas.height = Math.round(box.height * ratio);
  const to = canvas.getContext("2d");
  to.setTransform(ratio, 0, 0, ratio, 0, 0);
  to.font = "11px system-ui, sans-serif"; to.fillStyle = colour("--dim"); to.textAlign = "center";
  if (bars.length === 0) { to.fillText("no step times yet", box.width / 2, box.height / 2); return; }
  const from = bars[0][0], until = bars[bars.length - 1][1], most = Math.max(...bars.map((bar) => bar[2]));
  const base = box.height - bottom, x = (ms) => 8 + (ms - from) / (until - from || 1) * (box.width - 16);
  to.strokeStyle = colour("--line"); to.beginPath(); to.moveTo(8, base + 0.5); to.lineTo(box.width - 8, base + 0.5); to.stroke();
  to.textBaseline = "top";
  for (const ms of ticks(from, until, box.width / 80)) to.fillText(`${shortText(ms)} ms`, Math.min(Math.max(x(ms), 24), box.width - 28), base + 6);
  to.fillStyle = colour("--c0");
  for (const [begin, end, count] of bars) if (count > 0) {
    const height = Math.max(1, count / most * (base - 16));
    to.fillRect(x(begin) + 0.5, base - height, Math.max(1, x(end) - x(begin) - 1), height);
  }
  to.strokeStyle = to.fillStyle = colour("--dim"); to.setLineDash([3, 3]); to.textBaseline = "alphabetic";
  let free = 0;
  for (const [label, ms] of Object.entries(marks)) {
    if (ms === null || ms < from || ms > until) continue;
    to.beginPath(); to.moveTo(x(ms), 14); to.lineTo(x(ms), base); to.stroke();
    const at = Math.min(Math.max(x(ms), 14), box.width - 14);
    if (at < free) continue;
    to.fillText(label, at, 10);
    free = at + 34;
  }
  to.setLineDash([]);
}
