// A drawing larger than its frame starts where the workflow does, not in an empty corner.
for (const frame of document.querySelectorAll(".graph-frame")) {
  const start = frame.querySelector(".graph-start")?.closest("a") ?? frame.querySelector(".graph-node");
  if (!start) continue;
  const [inner, outer] = [start.getBoundingClientRect(), frame.getBoundingClientRect()];
  frame.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
  frame.scrollTop += inner.top - outer.top - 32;
}
