// Asks mermaid's own parser about one diagram after another.
//
// In: one line of JSON per diagram, {"id": 1, "text": "flowchart LR ..."}.
// Out: one line of JSON per answer, {"id": 1, "ok": true, "nodes": [["a", "label"]], "edges": [["a", "b"]]} or
// {"id": 1, "ok": false, "error": "..."}. Kinds of diagrams that connect nothing have no nodes and no edges.
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

const both = (edge, back) => (back ? [edge, [edge[1], edge[0]]] : [edge]);

function flowchart(db) {
  const shown = db.getEdges().filter((edge) => edge.stroke !== "invisible");
  const edges = shown.flatMap((edge) => both([edge.start, edge.end], edge.type?.startsWith("double_")));
  const ends = new Set(edges.flat());
  // A group counts as a node only if an edge connects to it.
  const groups = db.getSubGraphs().map((group) => [group.id, group.title]);
  const names = new Set(groups.map(([id]) => id));
  const nodes = [...db.getVertices().values()].map((node) => [node.id, node.text]).filter(([id]) => !names.has(id));
  return { nodes: [...nodes, ...groups.filter(([id]) => ends.has(id))], edges };
}

function sequence(db) {
  const messages = db.getMessages().filter(({ from, to, type }) => from && to && type !== db.LINETYPE.NOTE);
  return {
    nodes: [...db.getActors().values()].map((actor) => [actor.name, actor.description]),
    edges: messages.map(({ from, to }) => [from, to]),
  };
}

function architecture(db) {
  return {
    nodes: [...db.getServices(), ...db.getJunctions()].map(({ id, title }) => [id, title]),
    edges: db.getEdges().map(({ lhsId, rhsId, lhsInto, rhsInto }) =>
      lhsInto && !rhsInto ? [rhsId, lhsId] : [lhsId, rhsId],
    ),
  };
}

const states = (db) => ({
  nodes: [...db.getStates().values()].map(({ id, descriptions }) => [id, descriptions?.[0]]),
  edges: db.getRelations().map(({ id1, id2 }) => [id1, id2]),
});

const c4 = (db) => ({
  nodes: db.getC4ShapeArray().map(({ alias, label }) => [alias, label?.text]),
  edges: db.getRels().map(({ from, to }) => [from, to]),
});

const KINDS = { flowchart, "flowchart-v2": flowchart, "flowchart-elk": flowchart, sequence, architecture, c4 };

async function drawing(text) {
  await mermaid.parse(text); // with the diagram's own configuration
  const { type, db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  const read = type.startsWith("state") ? states : KINDS[type];
  const { nodes, edges } = read ? read(db) : { nodes: [], edges: [] };
  return { nodes: nodes.map(([id, label]) => [id, label || id]), edges };
}

async function ask({ id, text }) {
  try {
    answer({ id, ok: true, ...(await drawing(text)) });
  } catch (error) {
    const message = error && error.message ? error.message : String(error);
    answer({ id, ok: false, error: String(message).slice(0, ERROR_LIMIT) });
  }
}

// One at a time: mermaid keeps the diagram it is reading in global variables.
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim()) await ask(JSON.parse(line));
}
