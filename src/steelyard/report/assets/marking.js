"use strict";
const $ = (id) => document.getElementById(id);
const SIGNS = { detected: "○", partial: "△", missed: "×" };
const MARK_KEYS = { o: "detected", 1: "detected", t: "partial", 2: "partial", x: "missed", 3: "missed" };
const RULING_KEYS = { b: "bonus", p: "penalty", "-": "neither" };
let run = null; // the run on show, as the server describes it
let place = 0; // the cell on show, among the cells of the run
let choice = { finding: null, quote: "" }; // what the next mark rests on
let picking = false; // words are being selected by keyboard
let acting = Promise.resolve(); // keys act one after the other
let queue = Promise.resolve(); // changes go to the server one after the other

// ---- the server

const ask = async (path, body) => {
  const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("the command that served this page has stopped: start it again to continue; everything before is saved");
  }
  const data = await response.json();
  if (!response.ok) throw new Error(data.error);
  return data;
};
const say = (text, bad = false) => {
  $("message").textContent = text;
  $("message").classList.toggle("bad", bad);
  $("message").hidden = !text;
};
const guarded = (work) => async (...given) => {
  try {
    return await work(...given);
  } catch (error) {
    say(error.message, true);
    return undefined;
  }
};
// Sends one change; what the page shows afterwards is what the sheet says.
const change = (edit) => {
  queue = queue.then(guarded(async () => {
    const data = await ask("edit", { run: run.run, ...edit });
    say(data.notice);
    if (run && data.run === run.run) adopt(data);
    else gauge(data);
    return data;
  }));
  return queue;
};

// ---- what is on show

const cell = () => run.cells[place];
const finding = (index) => run.findings.find((one) => one.index === index);
const card = (index) => $("text").querySelector(`[data-finding="${index}"]`);
const cards = () => Array.from($("text").querySelectorAll("[data-finding]"), (one) => Number(one.dataset.finding));

const gauge = (data) => {
  $("progress").max = data.total;
  $("progress").value = data.done;
  $("count").textContent = `${data.done} of ${data.total} cells`;
  $("done-button").classList.toggle("ready", data.done === data.total);
  const options = data.runs.map((one, index) => {
    const option = document.createElement("option");
    option.value = index;
    option.textContent = `${one.name}: ${one.done} of ${one.total}`;
    return option;
  });
  $("runs").replaceChildren(...options);
  if (run) $("runs").value = run.run;
};
const folded = (id, markup) => {
  $(id).hidden = !markup;
  $(id).querySelector("div").innerHTML = markup;
};
// Takes over a run as the server describes it; its markup was escaped there, and the policy of this page runs no script in it.
const adopt = (news, start) => {
  const same = run && run.run === news.run;
  const data = same ? { ...run, ...news } : news; // a mark changes no text, so the server does not send it again
  const shown = same && run.text === data.text;
  const name = same && cell() ? cell().problem : null;
  run = data;
  if (!shown) $("text").innerHTML = data.text;
  $("run-name").textContent = data.name;
  $("document").textContent = data.document === data.name ? "" : data.document;
  if (news.text !== undefined) for (const [id, markup] of [["scope", data.perspective], ["bonuses", data.bonuses], ["source", data.source]]) folded(id, markup);
  gauge(data);
  const open = data.cells.findIndex((one) => !one.mark);
  place = name ? data.cells.findIndex((one) => one.problem === name) : start !== undefined ? start : Math.max(open, 0);
  if (place < 0) place = 0;
  if (same && name) paint();
  else show(place);
};
const show = (index) => {
  place = Math.min(Math.max(index, 0), run.cells.length - 1);
  const one = cell();
  const base = one.mark && one.mark !== "missed" ? one : one.finding || one.quote || !one.proposal ? one : one.proposal;
  choice = { finding: base.finding, quote: base.quote };
  if (one.mark === null && one.proposal && one.finding === one.proposal.finding && !one.quote) choice.quote = one.proposal.quote;
  paint();
  reveal();
};
const paint = () => {
  const one = cell();
  $("strip").replaceChildren(...run.cells.map((other, index) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = other.mark ? SIGNS[other.mark] : other.problem.replace(/^P0?/, "");
    button.className = other.mark || "";
    button.title = `${other.problem}: ${other.title}`;
    button.setAttribute("aria-label", `${other.problem}, ${other.mark || "open"}`);
    button.setAttribute("aria-current", index === place);
    button.addEventListener("click", () => show(index));
    return button;
  }));
  $("title").textContent = `${one.problem}: ${one.title}`;
  $("where").textContent = plain(one.where);
  $("about").innerHTML = one.about;
  if (document.activeElement !== $("note")) $("note").value = one.note;
  for (const button of document.querySelectorAll("[data-mark]")) button.setAttribute("aria-pressed", button.dataset.mark === one.mark);
  proposal(one);
  evidence();
  findings();
};
const plain = (text) => text.replace(/[*_`]+/g, "").replace(/\s+/g, " ").trim();
const proposal = (one) => {
  const said = one.proposal;
  $("proposal").hidden = Boolean(one.mark) && !run.blind;
  if (!said) return $("proposal").replaceChildren("What the words propose is shown after your mark.");
  const sign = document.createElement("span");
  sign.className = `mark estimate ${said.mark}`;
  sign.textContent = SIGNS[said.mark];
  const words = document.createElement("span");
  const named = said.finding === null || !finding(said.finding) ? "" : `, ${finding(said.finding).id}`;
  words.textContent = `By words, an estimate: ${Math.round(100 * said.certainty)}% sure${named}`;
  const take = document.createElement("button");
  take.type = "button";
  take.innerHTML = "Take it <kbd>Enter</kbd>";
  take.addEventListener("click", accept);
  const quote = document.createElement("q");
  quote.textContent = plain(said.quote);
  const shown = said.quote && said.mark !== "missed" && said.quote !== choice.quote;
  $("proposal").replaceChildren(sign, words, ...(one.mark ? [] : [take]), ...(shown ? [quote] : []));
  return undefined;
};
// In a blind session: what a person marked beside what the words propose, once both are known.
const bothSay = (one) => {
  if (!run.blind || !one.proposal) return "";
  return `${one.problem}: you ${SIGNS[one.mark]}, by words ${SIGNS[one.proposal.mark]} (${Math.round(100 * one.proposal.certainty)}% sure). `;
};
const evidence = () => {
  const named = finding(choice.finding);
  const quote = document.createElement("q");
  quote.textContent = plain(choice.quote);
  const lead = named ? `${named.id}${choice.quote ? " " : `: ${named.title}`}` : choice.quote ? "Passage " : "No finding chosen (→)";
  $("evidence").replaceChildren(lead, ...(choice.quote ? [quote] : []));
  $("drop-quote").hidden = !(choice.quote && named);
};
const findings = () => {
  const served = new Map();
  for (const one of run.cells) if (one.mark && one.mark !== "missed" && one.finding !== null) {
    served.set(one.finding, [...(served.get(one.finding) || []), one]);
  }
  const elements = new Map(Array.from($("text").querySelectorAll("[data-finding]"), (one) => [Number(one.dataset.finding), one]));
  for (const one of run.findings) {
    const element = elements.get(one.index);
    if (!element) continue;
    const names = served.get(one.index) || [];
    element.classList.toggle("chosen", one.index === choice.finding);
    element.classList.toggle("proposed", one.index === cell().proposal?.finding && !cell().mark);
    element.classList.toggle("credited", names.length > 0);
    element.classList.toggle("bonus", !names.length && one.verdict === "bonus");
    element.classList.toggle("penalty", !names.length && one.verdict === "penalty");
    element.querySelector(".uses").replaceChildren(...names.map((other) => {
      const tag = document.createElement("span");
      tag.className = `mark ${other.mark}`;
      tag.textContent = `${other.problem} ${SIGNS[other.mark]}`;
      return tag;
    }), ...(one.index === choice.finding ? [rulings(one, names.length > 0)] : []));
  }
  highlight();
};
const rulings = (one, credited) => {
  const group = document.createElement("span");
  group.className = "rulings";
  const words = credited ? [] : Object.entries(RULING_KEYS);
  for (const [key, verdict] of words) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = verdict;
    button.title = key;
    button.setAttribute("aria-pressed", one.verdict === verdict);
    button.addEventListener("click", (event) => { event.stopPropagation(); rule(verdict, one.index); });
    group.appendChild(button);
  }
  if (cards().indexOf(one.index) > 0) {
    const merge = document.createElement("button");
    merge.type = "button";
    merge.textContent = "merge up";
    merge.title = "m";
    merge.addEventListener("click", (event) => { event.stopPropagation(); mergeUp(one.index); });
    group.appendChild(merge);
  }
  return group;
};
const reveal = () => {
  const element = card(choice.finding);
  const beside = getComputedStyle($("problem")).position === "sticky";
  if (!beside) scrollTo(0, 0); // the problem is above the text on a narrow screen
  else if (element) element.scrollIntoView({ block: "center" });
};

// ---- passages

// The words of an element without emphasis and line ends, each character with its place in the page.
const letters = (element) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let text = "";
  const places = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (let offset = 0; offset < node.data.length; offset += 1) {
      const letter = node.data[offset].toLowerCase();
      if (/[\s*_`]/.test(letter) || letter.length !== 1) continue;
      text += letter;
      places.push([node, offset]);
    }
  }
  return { text, places };
};
const highlight = () => {
  if (!window.Highlight || !CSS.highlights) return;
  CSS.highlights.delete("passage");
  const needle = choice.quote.toLowerCase().replace(/[\s*_`]/g, "");
  if (!needle) return;
  const within = card(choice.finding);
  const { text, places } = letters(within ? within.querySelector(".md") : $("text"));
  const start = text.indexOf(needle);
  if (start < 0) return;
  const range = new Range();
  range.setStart(...places[start]);
  const [node, offset] = places[start + needle.length - 1];
  range.setEnd(node, offset + 1);
  CSS.highlights.set("passage", new Highlight(range));
};
// What is selected in the run: its words exactly as the run has them, hidden signs included, and their finding.
const selected = () => {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const inside = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement).closest("#text .md");
  const from = inside(range.startContainer);
  if (!from) return null;
  const part = range.cloneRange();
  if (inside(range.endContainer) !== from) part.setEnd(from, from.childNodes.length);
  const text = part.toString().trim();
  if (!text) return null;
  const owner = from.closest("[data-finding]");
  const rest = part.cloneRange();
  rest.setEnd(from, from.childNodes.length);
  return { text: text.slice(0, 4000), rest: rest.toString().trim().slice(0, 300), finding: owner ? Number(owner.dataset.finding) : null };
};
const choose = (index, quote = "") => {
  choice = { finding: index, quote };
  proposal(cell());
  evidence();
  findings();
};
const step = (by) => {
  const all = cards();
  if (!all.length) return;
  const at = all.indexOf(choice.finding);
  choose(all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)]);
  card(choice.finding).scrollIntoView({ block: "nearest" });
};
const takePassage = () => {
  const words = selected();
  choose(words ? words.finding : choice.finding, words ? words.text : "");
  leavePicking();
  if (words && cell().mark && cell().mark !== "missed") save(cell().mark);
};
const startPicking = () => {
  const within = card(choice.finding) || $("text").querySelector(".finding, .gap");
  if (!within) return;
  const walker = document.createTreeWalker(within.querySelector(".md"), NodeFilter.SHOW_TEXT, (node) =>
    node.data.trim() && !node.parentElement.closest(".sign") ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP);
  const first = walker.nextNode();
  if (!first) return;
  getSelection().collapse(first, 0);
  getSelection().modify("extend", "forward", "word");
  picking = true;
  say("Selecting words: → ← move, ⇧→ ⇧← extend, ↓ ↑ by line; q takes them as the passage, s splits there, Esc leaves.");
};
const leavePicking = () => {
  picking = false;
  getSelection().removeAllRanges();
  $("tools").hidden = true;
  if ($("message").textContent.startsWith("Selecting")) say("");
};
const pick = (event) => {
  const ways = { ArrowRight: ["forward", "word"], ArrowLeft: ["backward", "word"], ArrowDown: ["forward", "line"], ArrowUp: ["backward", "line"] };
  const way = ways[event.key];
  if (!way) return false;
  const selection = getSelection();
  if (event.shiftKey) selection.modify("extend", ...way);
  else {
    if (way[0] === "forward") selection.collapseToEnd(); else selection.collapseToStart();
    if (way[1] === "line" || way[0] === "backward") selection.modify("move", ...way);
    selection.modify("extend", "forward", "word");
  }
  return true;
};

// ---- changes

const save = (mark, extra = {}) => {
  const one = cell();
  const rests = mark === "missed" ? {} : choice;
  return change({ kind: "mark", problem: one.problem, mark, finding: rests.finding ?? null, quote: rests.quote ?? "", note: $("note").value, ...extra });
};
// Marks the cell and goes on to the next open one of the run; without one the page stays, so that the last mark is seen.
const markCell = async (mark) => {
  if (mark && mark !== "missed" && choice.finding === null && !choice.quote) return say("Choose the finding first (→ or click), or select words of the run.", true);
  const marked = cell().problem;
  const done = await save(mark);
  if (!done || !mark || cell().problem !== marked) return undefined;
  const later = run.cells.findIndex((one, index) => index > place && !one.mark);
  const open = later >= 0 ? later : run.cells.findIndex((one) => !one.mark);
  const both = bothSay(cell());
  if (both) say(both);
  if (open >= 0) show(open);
  else say(both + (done.done === done.total ? "Every cell is marked. Look at bonuses and penalties, then choose Done." : "This run is marked: n goes to the next open cell."));
  return undefined;
};
const accept = () => {
  const said = cell().proposal;
  if (cell().mark) return undefined;
  if (!said) return say("This session is blind: mark the cell first.", true);
  choice = { finding: said.finding, quote: said.mark === "missed" ? "" : said.quote };
  return markCell(said.mark);
};
const rule = (verdict, index = choice.finding) => {
  if (index === null) return say("Choose a finding first (→ or click).", true);
  return change({ kind: "rule", finding: index, verdict, reason: finding(index).reason });
};
const mergeUp = (index = choice.finding) => {
  const all = cards();
  const at = all.indexOf(index);
  if (at < 1) return say("There is no finding above this one.", true);
  choice = { finding: all[at - 1], quote: "" };
  return change({ kind: "merge", finding: index, into: all[at - 1] });
};
const split = () => {
  const words = selected();
  if (!words || words.finding === null) return say("Select the words at which the further claim begins, inside a finding (v selects by keyboard).", true);
  leavePicking();
  return change({ kind: "split", finding: words.finding, words: words.rest });
};
const open = guarded(async (index, start) => {
  const data = await ask(`runs/${index}`);
  say(data.notice);
  adopt(data, start);
  if (start === undefined) scrollTo(0, 0);
});
const nextOpen = () => {
  const here = run.cells.findIndex((one, index) => index > place && !one.mark);
  if (here >= 0) return show(here);
  const count = run.runs.length;
  for (let by = 1; by <= count; by += 1) {
    const index = (run.run + by) % count;
    if (run.runs[index].done < run.runs[index].total) return index === run.run ? show(run.cells.findIndex((one) => !one.mark)) : open(index);
  }
  return say("Every cell is marked.");
};
const finish = guarded(async () => {
  await queue;
  const data = await ask("done", {});
  const end = document.createElement("main");
  end.className = "finished";
  const head = document.createElement("h1");
  head.textContent = `${data.progress} marked and saved`;
  const text = document.createElement("p");
  text.textContent = "The server has stopped; you can close this page. To score the sheet:";
  const command = document.createElement("pre");
  command.textContent = data.command;
  end.append(head, text, command);
  document.body.replaceChildren(end);
  run = null;
});

// ---- keys, buttons, selection

document.addEventListener("keydown", (event) => {
  if (!run || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || $("help").open) return;
  const field = event.target.closest("input, select, textarea");
  if (field) {
    if (event.key === "Escape" || (event.key === "Enter" && field === $("note"))) {
      field.blur();
      event.preventDefault();
    }
    return;
  }
  if (event.target.closest("button, summary, a") && (event.key === "Enter" || event.key === " ")) return;
  const key = event.key.length === 1 && !"JK".includes(event.key) ? event.key.toLowerCase() : event.key;
  if (picking && pick(event)) return event.preventDefault();
  const actions = {
    j: () => show(place + 1), k: () => show(place - 1), n: nextOpen,
    J: () => open(Math.min(run.run + 1, run.runs.length - 1)), K: () => open(Math.max(run.run - 1, 0)),
    ArrowRight: () => step(1), ArrowLeft: () => step(-1), Enter: accept, 0: () => markCell(null),
    q: takePassage, s: split, m: () => mergeUp(), v: startPicking, u: () => change({ kind: "undo" }),
    e: () => $("note").focus(), "?": () => $("help").showModal(), Escape: leavePicking,
  };
  const act = MARK_KEYS[key] ? () => markCell(MARK_KEYS[key]) : RULING_KEYS[key] ? () => rule(RULING_KEYS[key]) : actions[key];
  if (!act) return undefined;
  event.preventDefault();
  acting = acting.then(act); // each key acts on what the one before it left on show
  return undefined;
});
for (const button of document.querySelectorAll("[data-mark]")) button.addEventListener("click", () => { button.blur(); markCell(button.dataset.mark); });
$("back").addEventListener("click", () => show(place - 1));
$("forward").addEventListener("click", () => show(place + 1));
$("help-button").addEventListener("click", () => $("help").showModal());
$("done-button").addEventListener("click", finish);
$("drop-quote").addEventListener("click", () => choose(choice.finding));
$("runs").addEventListener("change", () => { $("runs").blur(); open(Number($("runs").value)); });
$("note").addEventListener("change", () => { if ($("note").value !== cell().note) save(cell().mark); });
$("text").addEventListener("click", (event) => {
  const owner = event.target.closest("[data-finding]");
  if (owner && getSelection().isCollapsed && Number(owner.dataset.finding) !== choice.finding) choose(Number(owner.dataset.finding));
});
document.addEventListener("selectionchange", () => {
  const words = run && !picking ? selected() : null;
  $("tools").hidden = !words;
  if (!words) return;
  const box = getSelection().getRangeAt(0).getBoundingClientRect();
  const width = $("tools").offsetWidth;
  $("tools").style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
  $("tools").style.top = `${box.top > 110 ? box.top - 52 : Math.min(box.bottom + 10, innerHeight - 120)}px`;
});
$("tools").addEventListener("mousedown", (event) => event.preventDefault());
$("tools").addEventListener("click", (event) => {
  const button = event.target.closest("[data-act]");
  if (button) (button.dataset.act === "quote" ? takePassage : split)();
});
// Another program may have changed the sheet meanwhile.
addEventListener("focus", () => { if (run) queue = queue.then(() => run && open(run.run, place)); });
guarded(async () => {
  const data = await ask("runs");
  say(data.notice);
  const first = data.runs.findIndex((one) => one.done < one.total);
  await open(Math.max(first, 0));
})();
