// The hint of a mark is shown at the foot of the window, where no table cuts it off.
const hint = document.createElement("div");
hint.id = "hint";
hint.hidden = true;
hint.setAttribute("role", "status");
document.body.appendChild(hint);
const hinted = (event) => (event.target.closest ? event.target.closest(".mark[data-hint]") : null);
for (const [shown, hidden] of [["mouseover", "mouseout"], ["focusin", "focusout"]]) {
  document.addEventListener(shown, (event) => {
    const mark = hinted(event);
    if (mark) { hint.textContent = mark.dataset.hint; hint.hidden = false; }
  });
  document.addEventListener(hidden, (event) => { if (hinted(event)) hint.hidden = true; });
}
