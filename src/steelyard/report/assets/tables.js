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
    // A head that is a link keeps it, and the button stands beside it.
    if (head.querySelector("a")) button.setAttribute("aria-label", "sort by " + head.textContent.trim());
    else while (head.firstChild) button.appendChild(head.firstChild);
    head.appendChild(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = Array.from(body.rows);
      const keyed = rows.map((row, place) => ({ row, place, key: key(row, index) }));
      keyed.sort((a, b) => (up ? 1 : -1) * compare(a.key, b.key) || a.place - b.place);
      keyed.forEach(({ row }) => body.appendChild(row));
    });
  });
}
// Filtering: hides the elements that lack a word of the input, and counts the rest in the element data-count names.
const filter = (input, elements) => {
  const count = document.getElementById(input.dataset.count || "");
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const element of elements()) {
      const text = element.textContent.toLowerCase();
      element.hidden = !words.every((word) => text.includes(word));
      if (!element.hidden) shown += 1;
    }
    if (count) count.textContent = shown + " of " + elements().length + " shown";
  });
};
// data-filter-tables="id" filters the rows of all tables in that element; data-only-split="id" is a box beside it that
// leaves only the rows marked data-split.
for (const input of document.querySelectorAll("input[data-filter-tables]")) {
  const place = document.getElementById(input.dataset.filterTables);
  filter(input, () => Array.from(place.querySelectorAll("tbody tr")));
}
for (const box of document.querySelectorAll("input[data-only-split]")) {
  const place = document.getElementById(box.dataset.onlySplit);
  box.addEventListener("change", () => place.classList.toggle("only-split", box.checked));
}
// data-filter="id" filters the rows of that table, data-filter-items="id" the children of that element.
for (const input of document.querySelectorAll("input[data-filter]")) {
  const table = document.getElementById(input.dataset.filter);
  filter(input, () => Array.from(table.tBodies[0].rows));
}
for (const input of document.querySelectorAll("input[data-filter-items]")) {
  const list = document.getElementById(input.dataset.filterItems);
  filter(input, () => Array.from(list.children));
}
// A link to an item opens it; the key "/" goes to the filter.
const reveal = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (!target) return;
  const folded = target.closest("details");
  for (let part = folded; part; part = part.parentElement.closest("details")) part.open = true;
  if (folded) target.scrollIntoView();
};
window.addEventListener("hashchange", reveal);
reveal();
document.addEventListener("keydown", (event) => {
  const field = document.querySelector("input[type=search]");
  if (event.key === "/" && field && document.activeElement.tagName !== "INPUT") {
    event.preventDefault();
    field.focus();
  }
});
