// Asks mermaid's own parser about one diagram after another.
//
// In: one line of JSON per diagram, {"id": 1, "text": "flowchart LR ..."}.
// Out: one line of JSON per answer, {"id": 1, "ok": true, "type": "flowchart-v2"} or {"id": 1, "ok": false, "error": "..."}.
// Nothing is rendered, nothing is written, and nothing but answers reaches stdout.

import { createInterface } from "node:readline";
import { JSDOM } from "jsdom";

const ERROR_LIMIT = 600;

const answer = (reply) => process.stdout.write(JSON.stringify(reply) + "\n");
for (const name of ["log", "info", "warn", "error", "debug", "trace"]) console[name] = () => {};

const page = new JSDOM("<!DOCTYPE html><html><body></body></html>");
globalThis.window = page.window;
globalThis.document = page.window.document;
const { default: mermaid } = await import("mermaid");

async function ask({ id, text }) {
  try {
    const { diagramType } = await mermaid.parse(text);
    answer({ id, ok: true, type: String(diagramType) });
  } catch (error) {
    const message = error && error.message ? error.message : String(error);
    answer({ id, ok: false, error: String(message).slice(0, ERROR_LIMIT) });
  }
}

// One at a time: mermaid keeps the diagram it is reading in global variables.
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim()) await ask(JSON.parse(line));
}
