"use strict";
// Two models item by item. All text goes into the page as text, never as markup.
{
const data = JSON.parse(document.getElementById("data").textContent);
const first = document.getElementById("first");
const second = document.getElementById("second");
const place = document.getElementById("comparison");
const make = (name, text, kind) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (kind) element.className = kind;
  return element;
};
const append = (parent, ...children) => { for (const child of children) parent.appendChild(child); return parent; };
const percent = (value, digits) => value === null || value === undefined ? "–" : (100 * value).toFixed(digits) + "%";
const signed = (value) => {
  const text = (100 * value).toFixed(1);
  return (parseFloat(text) > 0 ? "+" : text.startsWith("-") && parseFloat(text) !== 0 ? "" : " ") + text.replace(/^-0\.0$/, "0.0") + " points";
};
const mean = (values) => values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
const solved = (value) => Math.round(value * 1e6) / 1e6 >= 1;
const flipped = (category, one, other) => category.binary
  ? solved(one) !== solved(other)
  : Math.round(Math.abs(one - other) * 1e6) / 1e6 > data.flips_above;
for (const select of [first, second]) {
  data.models.forEach((model, index) => {
    const option = make("option", (model.rank ? model.rank + ". " : "– ") + model.name);
    option.value = String(index);
    select.appendChild(option);
  });
}
const reading = (one, other, key) => {
  for (const [a, b, category, delta, text] of data.pairs) {
    if (category !== key) continue;
    if (a === one && b === other) return { delta, text };
    if (a === other && b === one) return { delta: -delta, text };
  }
  return null;
};
// What both were scored on in one category; null when they cannot be compared there.
const shared = (category, place_one, place_other, one, other) => {
  const mine = one.scores[category.key];
  const theirs = other.scores[category.key];
  if (!mine || !theirs) return { why: "not run by both" };
  if (one.incomparable.includes(category.key) !== other.incomparable.includes(category.key) || (place_one !== place_other && one.incomparable.includes(category.key))) {
    return { why: "not comparable: made with another dataset, scorer or settings" };
  }
  const rows = category.items
    .map((item, index) => ({ item, one: mine[index], other: theirs[index] }))
    .filter((row) => row.one !== null && row.other !== null);
  return { rows };
};
const table = (heads, label) => {
  const box = make("div", undefined, "scroll");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", label);
  const drawn = make("table");
  const head = make("tr");
  for (const [text, align] of heads) {
    const cell = make("th", text, align);
    cell.scope = "col";
    head.appendChild(cell);
  }
  const body = make("tbody");
  append(drawn, append(make("thead"), head), body);
  box.appendChild(drawn);
  return { box, body };
};
const sign = (category, value) => category.binary ? (solved(value) ? "✓" : value <= 0 ? "✗" : "◐") : (100 * value).toFixed(0);
const answer = (model, category, item, value, better) => {
  const link = make("a", sign(category, value) + (better ? " ▲" : ""));
  link.href = model.pages[category.key] + "#" + item.anchor;
  link.title = model.name;
  return append(make("td", undefined, "center " + (better ? "better" : "")), link);
};
const summary = (one, other, parts) => {
  const { box, body } = table([["Category", "left"], ["First", "right"], ["Second", "right"], ["Difference", "right"],
    ["Items", "right"], ["Better: first", "right"], ["Better: second", "right"], ["Reading", "left"]], "Summary");
  const line = (name, values) => {
    const row = make("tr");
    const head = make("th", name);
    head.scope = "row";
    row.appendChild(head);
    values.forEach((value, index) => row.appendChild(make("td", value, index < 6 ? "right" : "left")));
    body.appendChild(row);
  };
  const overall = reading(one, other, "overall");
  const models = [data.models[one], data.models[other]];
  const total = models[0].overall === null || models[1].overall === null ? "–" : signed(models[0].overall - models[1].overall);
  line("Overall", [percent(models[0].overall, 1), percent(models[1].overall, 1), total, "", "", "", overall ? overall.text : "no reading: not both are ranked"]);
  for (const { category, rows, flips, why } of parts) {
    if (why) { line(category.name, ["–", "–", "–", "–", "–", "–", why]); continue; }
    const a = mean(rows.map((row) => row.one));
    const b = mean(rows.map((row) => row.other));
    const known = reading(one, other, category.key);
    line(category.name, [percent(a, 1), percent(b, 1), a === null ? "–" : signed(a - b), String(rows.length),
      String(flips.filter((row) => row.one > row.other).length), String(flips.filter((row) => row.other > row.one).length),
      known ? known.text : ""]);
  }
  return box;
};
const show = () => {
  const one = Number(first.value);
  const other = Number(second.value);
  const models = [data.models[one], data.models[other]];
  place.replaceChildren();
  if (one === other) { place.appendChild(make("p", "Choose two different models.", "soft")); return; }
  const parts = data.categories.map((category) => {
    const part = shared(category, one, other, models[0], models[1]);
    return { category, ...part, flips: part.rows ? part.rows.filter((row) => flipped(category, row.one, row.other)) : [] };
  });
  place.appendChild(summary(one, other, parts));
  const count = parts.reduce((sum, part) => sum + part.flips.length, 0);
  const compared = parts.reduce((sum, part) => sum + (part.rows ? part.rows.length : 0), 0);
  place.appendChild(make("h2", count + " of " + compared + " items flipped"));
  place.appendChild(make("p", "A binary item flips when one side solves it and the other does not; a rubric item when the scores differ by more than "
    + Math.round(100 * data.flips_above) + " points. ▲ marks the better answer; each sign leads to the answer.", "soft"));
  for (const { category, flips } of parts) {
    if (!flips.length) continue;
    place.appendChild(make("h3", category.name + ": " + flips.length));
    const { box, body } = table([["Item", "left"], ["First", "center"], ["Second", "center"]], category.name);
    for (const { item, one: a, other: b } of flips) {
      const head = make("th");
      head.scope = "row";
      append(head, make("span", item.id + " ", "soft"), make("bdi", item.title));
      append(body, append(make("tr"), head, answer(models[0], category, item, a, a > b), answer(models[1], category, item, b, b > a)));
    }
    place.appendChild(box);
  }
};
const choose = () => {
  const asked = new URLSearchParams(location.hash.slice(1));
  const index = (name, fallback) => {
    const found = data.models.findIndex((model) => model.id === asked.get(name));
    return found >= 0 ? found : fallback;
  };
  const ranked = data.models.map((model, index) => index).filter((index) => data.models[index].rank);
  const one = index("a", ranked.length > 1 ? ranked[0] : 0);
  const rest = (ranked.length > 1 ? ranked : data.models.map((model, index) => index)).filter((index) => index !== one);
  first.value = String(one);
  second.value = String(index("b", rest.length ? rest[0] : one));
  show();
};
const chosen = () => {
  const address = "#a=" + data.models[Number(first.value)].id + "&b=" + data.models[Number(second.value)].id;
  if (location.hash === address) show(); else location.hash = address;
};
first.addEventListener("change", chosen);
second.addEventListener("change", chosen);
document.getElementById("swap").addEventListener("click", () => {
  [first.value, second.value] = [second.value, first.value];
  chosen();
});
document.getElementById("choice").addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("hashchange", choose);
choose();
}
