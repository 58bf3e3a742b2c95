// SPDX-License-Identifier: Apache-2.0
// What the page asks of the server.

/** The answer to a request as an object; throws the server's words where there is none. */
export async function ask(path, parameters = {}, signal = undefined) {
  const url = new URL(path, location.origin);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined && value !== null) url.searchParams.set(name, value);
  const reply = await fetch(url, { signal, cache: "no-store" });
  const text = await reply.text();
  if (!reply.ok) throw new Error(wordsOf(text));
  return JSON.parse(text);
}

function wordsOf(text) {
  try { return JSON.parse(text).error ?? text; } catch { return text.trim(); }
}

/**
 * Calls `onVersion` whenever something has changed, `onState("live" | "lost" | "refused", words)` when the connection
 * does. A server that has no room is asked again every few seconds.
 */
export function listen(onVersion, onState) {
  const source = new EventSource("/events");
  source.onmessage = (event) => { onState("live", ""); onVersion(JSON.parse(event.data).version); };
  source.onerror = async () => {
    if (source.readyState !== EventSource.CLOSED) { onState("lost", "adarun monitor does not answer: what is shown is the last it said."); return; }
    const words = await refusal();
    onState(words === null ? "lost" : "refused", words ?? "The connection was lost.");
    setTimeout(() => listen(onVersion, onState), 4000);
  };
}

async function refusal() {
  const asked = new AbortController();
  try {
    const reply = await fetch("/events", { signal: asked.signal });
    if (reply.ok) return null;
    return wordsOf(await reply.text());
  } catch {
    return null;
  } finally {
    asked.abort();
  }
}

/** Calls `work` at most once at a time and every `pause_ms`; calls that come meanwhile become one more call. */
export function throttled(work, pause_ms) {
  let busy = false, again = false;
  return async function call() {
    if (busy) { again = true; return; }
    busy = true;
    do {
      again = false;
      try { await work(); } catch (error) { if (error.name !== "AbortError") console.warn(error.message); }
      await new Promise((done) => setTimeout(done, pause_ms));
    } while (again);
    busy = false;
  };
}
