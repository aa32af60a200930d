"use strict";
// Text reaches the page through textContent only, and rows are made when they are shown.
(() => {
  const source = document.getElementById("trials-data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const at = Object.fromEntries(data.keys.map((key, index) => [key, index]));
  const of = (row, key) => row[at[key]];
  const PAGE = 50;
  const find = (id) => document.getElementById(id);
  const number = new Intl.NumberFormat("en");
  const tokensOf = (row) => {
    const [a, b] = [of(row, "prompt_tokens"), of(row, "completion_tokens")];
    return a === null && b === null ? null : (a || 0) + (b || 0);
  };
  const isPair = (row) => !["all", "sighted", "blind"].some((arm) => cellOf(row)[2].includes(arm));
  const cellOf = (row) => data.cells[of(row, "cell")] || ["", "", ""];

  // What a column shows, and what it sorts by.
  const columns = [
    ["task", (row) => of(row, "task")],
    ["cell", (row) => cellOf(row)[0]],
    ["order", (row) => (isPair(row) ? of(row, "order") : "") + (of(row, "replicate") > 1 ? ` run ${of(row, "replicate")}` : "")],
    ["verdict", (row) => of(row, "winner") || "none"],
    ["outcome", (row) => of(row, "outcome")],
    ["answer", (row) => of(row, "answer") || ""],
    ["attempts", (row) => of(row, "attempts"), "number"],
    ["tokens", tokensOf, "number"],
    ["prompt digest", (row) => of(row, "prompt") || "", "code"],
  ];

  const searched = new Map();
  const textOf = (row) => {
    let text = searched.get(row);
    if (text === undefined) {
      const parts = ["task", "subset", "winner", "outcome", "served", "reason", "text", "prompt", "digest"];
      text = [cellOf(row)[0], ...parts.map((key) => of(row, key) || "")].join("\n").toLowerCase();
      searched.set(row, text);
    }
    return text;
  };

  let rows = data.rows;
  let page = 0;
  let sorted = null;
  let down = false;
  const open = new Set();
  const partners = new Map();
  const groupOf = (row) => JSON.stringify([of(row, "cell"), of(row, "task"), of(row, "replicate")]);
  for (const row of data.rows) {
    const key = groupOf(row);
    if (!partners.has(key)) partners.set(key, []);
    partners.get(key).push(row);
  }

  const element = (tag, text, name) => {
    const made = document.createElement(tag);
    if (text !== undefined && text !== null) made.textContent = text;
    if (name) made.className = name;
    return made;
  };

  const options = (select, values, every) => {
    select.append(new Option(every, ""));
    for (const [value, text] of values) select.append(new Option(text, value));
  };
  const distinct = (key) => [...new Set(data.rows.map((row) => of(row, key) || "none"))].sort().map((value) => [value, value]);

  const choose = () => {
    const words = find("trials-search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const cell = find("trials-cell").value;
    const outcome = find("trials-outcome").value;
    const winner = find("trials-winner").value;
    rows = data.rows.filter((row) =>
      (cell === "" || String(of(row, "cell")) === cell) &&
      (outcome === "" || (of(row, "outcome") || "none") === outcome) &&
      (winner === "" || (of(row, "winner") || "none") === winner) &&
      words.every((word) => textOf(row).includes(word)));
    page = 0;
    arrange();
  };

  const compare = new Intl.Collator("en", { numeric: true }).compare;
  const arrange = () => {
    if (sorted !== null) {
      const value = columns[sorted][1];
      const keyed = rows.map((row, index) => [value(row), index, row]);
      const sign = down ? -1 : 1;
      keyed.sort(([a, i], [b, j]) => {
        // What is unknown comes last, whichever way.
        if (a === null || b === null) return a === b ? i - j : a === null ? 1 : -1;
        return sign * (typeof a === "number" ? a - b : compare(a, b)) || i - j;
      });
      rows = keyed.map((one) => one[2]);
    }
    show();
  };

  const tries = (row) => {
    const list = element("ul");
    for (const text of of(row, "tries")) list.append(element("li", text));
    return list;
  };

  const answer = (row) => {
    const box = element("div");
    const order = `Order ${of(row, "order")}: ${of(row, "winner") || "no verdict"}, `;
    const heading = (isPair(row) ? order : "Answer: ") + of(row, "outcome");
    box.append(element("h4", heading));
    const facts = [];
    if (of(row, "served")) facts.push("served " + of(row, "served"));
    if (of(row, "asked_at") !== null) facts.push(new Date(of(row, "asked_at") * 1000).toISOString());
    if (of(row, "digest")) facts.push("answer " + of(row, "digest"));
    if (facts.length) box.append(element("p", facts.join(" · ")));
    if (of(row, "reason")) box.append(element("p", "Reason: " + of(row, "reason")));
    const text = of(row, "text");
    if (text === null) {
      box.append(element("p", of(row, "answer") === "direct" ? "The judge answers in the process: no text is stored." : "No stored answer."));
    } else {
      const block = element("pre", text);
      block.tabIndex = 0;
      block.setAttribute("role", "region");
      block.setAttribute("aria-label", "Answer, order " + of(row, "order"));
      box.append(block);
    }
    if (of(row, "tries").length) box.append(element("p", "Attempts"), tries(row));
    return box;
  };

  const detail = (row, id) => {
    const line = element("tr", null, "detail");
    line.id = id;
    const box = element("td");
    box.colSpan = columns.length + 1;
    const subset = of(row, "subset") && of(row, "subset") !== "(none)" ? `, subset ${of(row, "subset")}` : "";
    box.append(element("p", `Task ${of(row, "task")}${subset}, ${cellOf(row)[0]}, prompt ${of(row, "prompt") || "unknown"}`));
    const both = element("div", null, "answers");
    for (const one of partners.get(groupOf(row))) both.append(answer(one));
    box.append(both);
    line.append(box);
    return line;
  };

  const line = (row, index) => {
    const made = element("tr");
    columns.forEach(([name, value, kind], place) => {
      const found = value(row);
      const text = found === null ? "unknown" : typeof found === "number" ? number.format(found) : found;
      const cell = element(place ? "td" : "th", kind === "code" ? null : text, kind === "number" ? "number" : "");
      if (!place) cell.scope = "row";
      if (kind === "code") cell.append(element("code", text));
      if (name === "outcome") cell.classList.add(text);
      made.append(cell);
    });
    const id = "trial-" + index;
    const button = element("button", open.has(row) ? "Hide" : "Show");
    button.type = "button";
    button.setAttribute("aria-expanded", String(open.has(row)));
    button.setAttribute("aria-label", `${open.has(row) ? "Hide" : "Show"} ${of(row, "task")} ${of(row, "order")}`);
    button.addEventListener("click", () => {
      if (!open.delete(row)) open.add(row);
      show();
      const again = document.querySelector(`[data-row="${index}"]`);
      if (again) again.focus();
    });
    button.dataset.row = index;
    const last = element("td");
    last.append(button);
    made.append(last);
    return open.has(row) ? [made, detail(row, id)] : [made];
  };

  const show = () => {
    const pages = Math.max(1, Math.ceil(rows.length / PAGE));
    page = Math.min(Math.max(page, 0), pages - 1);
    const body = find("trials-table").tBodies[0];
    const shown = rows.slice(page * PAGE, (page + 1) * PAGE);
    body.replaceChildren(...shown.flatMap(line));
    find("trials-status").textContent = `${number.format(rows.length)} of ${number.format(data.rows.length)} trials`;
    find("trials-page").textContent = `Page ${number.format(page + 1)} of ${number.format(pages)}`;
    find("trials-first").disabled = find("trials-back").disabled = page === 0;
    find("trials-next").disabled = find("trials-last").disabled = page === pages - 1;
  };

  const head = element("tr");
  columns.forEach(([name, , kind], place) => {
    const cell = element("th", null, kind === "number" ? "number" : "");
    cell.scope = "col";
    const button = element("button", name);
    button.type = "button";
    button.addEventListener("click", () => {
      down = sorted === place ? !down : false;
      sorted = place;
      for (const other of head.children) other.removeAttribute("aria-sort");
      for (const other of head.querySelectorAll("button")) other.textContent = other.textContent.replace(/ [▲▼]$/, "");
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      button.textContent = name + (down ? " ▼" : " ▲");
      page = 0;
      arrange();
    });
    cell.append(button);
    head.append(cell);
  });
  const more = element("th");
  more.scope = "col";
  more.append(element("span", "details", "hidden"));
  head.append(more);
  find("trials-table").tHead.append(head);

  options(find("trials-cell"), data.cells.map((cell, index) => [String(index), cell[0]]), "all cells");
  options(find("trials-outcome"), distinct("outcome"), "all outcomes");
  options(find("trials-winner"), distinct("winner"), "all verdicts");
  let waiting = 0;
  find("trials-search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(choose, 120);
  });
  for (const name of ["cell", "outcome", "winner"]) find("trials-" + name).addEventListener("change", choose);
  find("trials-filters").addEventListener("submit", (event) => { event.preventDefault(); choose(); });
  const turn = (id, to) => find(id).addEventListener("click", () => { page = to(); show(); });
  turn("trials-first", () => 0);
  turn("trials-back", () => page - 1);
  turn("trials-next", () => page + 1);
  turn("trials-last", () => Infinity);
  find("trials-tool").hidden = false;
  show();
})();
