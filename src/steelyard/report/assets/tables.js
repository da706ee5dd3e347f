"use strict";
// Sorting: every column head of a table marked data-sortable becomes a button. Numbers sort as numbers.
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const body = table.tBodies[0];
  if (!body || body.rows.length < 2) continue;
  const heads = Array.from(table.tHead.rows[table.tHead.rows.length - 1].cells);
  const key = (row, index) => {
    const cell = row.cells[index];
    const text = cell.dataset.order !== undefined ? cell.dataset.order : cell.textContent.trim();
    const number = parseFloat(text.replace(/[−]/g, "-").replace(/[,$%+]/g, ""));
    return Number.isNaN(number) ? text.toLowerCase() : number;
  };
  const compare = (one, other) => {
    if (typeof one === typeof other) return one < other ? -1 : one > other ? 1 : 0;
    return typeof one === "number" ? -1 : 1;
  };
  heads.forEach((head, index) => {
    const button = document.createElement("button");
    button.type = "button";
    while (head.firstChild) button.appendChild(head.firstChild);
    head.appendChild(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending";
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = Array.from(body.rows);
      const keyed = rows.map((row, place) => ({ row, place, key: key(row, index) }));
      keyed.sort((a, b) => (up ? 1 : -1) * compare(a.key, b.key) || a.place - b.place);
      keyed.forEach((each) => body.appendChild(each.row));
    });
  });
}
// Filtering: an input with data-filter="id" hides the rows of that table which lack its words.
for (const input of document.querySelectorAll("input[data-filter]")) {
  const table = document.getElementById(input.dataset.filter);
  const told = document.getElementById(input.dataset.told || "");
  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) shown += 1;
    }
    if (told) told.textContent = shown + " of " + table.tBodies[0].rows.length + " shown";
  };
  input.addEventListener("input", apply);
}
// Items: an input with data-filter-items="id" hides the unfolding lines which lack its words.
for (const input of document.querySelectorAll("input[data-filter-items]")) {
  const items = Array.from(document.getElementById(input.dataset.filterItems).children);
  const told = document.getElementById(input.dataset.told || "");
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const item of items) {
      const text = item.textContent.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) shown += 1;
    }
    if (told) told.textContent = shown + " of " + items.length + " shown";
  });
}
// A link to an item opens it; the key "/" goes to the filter.
const opened = location.hash && document.getElementById(location.hash.slice(1));
if (opened && opened.tagName === "DETAILS") opened.open = true;
document.addEventListener("keydown", (event) => {
  const field = document.querySelector("input[type=search]");
  if (event.key === "/" && field && document.activeElement.tagName !== "INPUT") {
    event.preventDefault();
    field.focus();
  }
});
