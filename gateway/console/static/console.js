// The keys of the console. Every page works without this file.
"use strict";
(() => {
  const rows = () => Array.from(document.querySelectorAll("[data-list] [data-row]"));
  const at = () => rows().findIndex((row) => row.classList.contains("at"));

  const go = (step) => {
    const all = rows();
    if (!all.length) return;
    const here = at();
    const next = here < 0 ? 0 : Math.min(all.length - 1, Math.max(0, here + step));
    all.forEach((row, place) => row.classList.toggle("at", place === next));
    const link = all[next].querySelector("[data-open]");
    all[next].scrollIntoView({ block: "nearest" });
    if (link) link.focus({ preventScroll: true });
  };

  const press = (name) => {
    const target = document.querySelector(`[data-key="${name}"]`);
    if (!target) return false;
    if (target.dataset.opens) open(target.dataset.opens);
    else target.click();
    return true;
  };

  const open = (id) => {
    const box = document.getElementById(id);
    if (!box) return;
    if (box.tagName === "DIALOG") { if (!box.open) box.showModal(); return; }
    if (box.tagName === "DETAILS") box.open = true;
    box.scrollIntoView({ block: "nearest" });
    const first = box.querySelector("select, textarea, input:not([type=hidden]), button");
    if (first) first.focus();
  };

  const writing = (target) =>
    target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, dialog") !== null;

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (!(event.target instanceof Element) || writing(event.target)) return;
    const done = {
      j: () => (go(1), true),
      k: () => (go(-1), true),
      r: () => press("release"),
      x: () => press("reject"),
      u: () => press("back"),
      "?": () => (open("keys"), true),
    }[event.key];
    if (done && done()) event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    const opener = event.target instanceof Element ? event.target.closest("[data-opens]") : null;
    // A summary opens its details by itself, and would close what was opened here.
    if (opener && opener.tagName !== "SUMMARY") open(opener.dataset.opens);
  });

  // A decision is sent once, however often the button is pressed.
  document.addEventListener("submit", (event) => {
    if (event.target.method !== "post") return;
    if (event.target.dataset.sent) { event.preventDefault(); return; }
    event.target.dataset.sent = "1";
  });
  window.addEventListener("pageshow", () => {
    document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent);
  });
})();
