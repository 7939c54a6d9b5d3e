"use strict";
// Everything that comes from a pipeline is put in as text, never as markup.
(() => {
  const sweep = JSON.parse(document.getElementById("data").textContent);
  const by = (id) => document.getElementById(id);
  const marked = new Set();
  const KINDS = ["relief", "rivers", "lakes", "vegetation"];
  let shown = [];

  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value !== false) element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  function figure(value) {
    if (value === null || value === undefined) return "–";
    if (typeof value !== "number") return String(value);
    if (value !== 0 && Math.abs(value) < 0.001) return value.toExponential(2);
    return value.toLocaleString("en", { maximumFractionDigits: 3, useGrouping: Math.abs(value) >= 1e5 });
  }

  const column = (name) => sweep.columns.find((column) => column.name === name);
  const titled = (name) => {
    const unit = column(name)?.unit;
    return unit ? `${name} (${unit})` : name;
  };
  const name = (member) => {
    const vary = Object.entries(member.vary).map(([path, value]) => `${path.split(".").pop()} ${value}`);
    return [`seed ${member.seed}`, ...vary].join(", ");
  };
  const value = (member, key) => (key === "rank" ? member.rank : member.metrics[key]);

  function order(a, b) {
    const key = by("sort").value;
    const [x, y] = [value(a, key), value(b, key)];
    const none = (v) => v === null || v === undefined;
    if (none(x) || none(y)) return none(x) - none(y);
    const difference = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
    return by("descending").checked ? -difference : difference;
  }

  function passes(member) {
    const status = by("status").value;
    if (status && member.status !== status) return false;
    const key = by("metric").value;
    const [from, to] = [by("from").valueAsNumber, by("to").valueAsNumber];
    if (!key || (Number.isNaN(from) && Number.isNaN(to))) return true;
    const found = value(member, key);
    if (typeof found !== "number") return false;
    return !(found < from) && !(found > to);
  }

  function card(member) {
    const picture = member.pictures.thumbnail;
    const key = by("sort").value;
    const line = key === "rank" || key === "seed" ? "relief_m" : key;
    const parts = [make("strong", {}, name(member))];
    if (member.rank !== null) parts.push(` · rank ${member.rank}`);
    if (member.status !== "done") parts.push(` · ${member.status}`);
    if (member.metrics[line] !== undefined) parts.push(make("br"), `${line} ${figure(member.metrics[line])} ${column(line)?.unit ?? ""}`);
    const open = make("button", { class: "open", type: "button", onclick: () => detail(member) },
      picture ? make("img", { src: picture, alt: `Relief of ${name(member)}`, loading: "lazy", decoding: "async" }) : null,
      make("span", {}, ...parts));
    const box = make("input", {
      type: "checkbox", checked: marked.has(member.id),
      onchange: (event) => {
        if (event.target.checked) marked.add(member.id); else marked.delete(member.id);
        by("compare").disabled = marked.size !== 2;
      },
    });
    return make("li", { class: member.status === "failed" || member.status === "invalid" ? "bad" : "", "data-id": member.id }, open,
      member.reason ? make("p", { class: "reason" }, member.reason) : null,
      make("label", { class: "mark" }, box, " compare"));
  }

  function draw() {
    shown = sweep.members.filter(passes).sort(order);
    by("gallery").replaceChildren(...shown.map(card));
    by("shown").textContent = `${shown.length} of ${sweep.members.length} members`;
  }

  // In a POSIX shell nothing within single quotes means anything.
  const quoted = (text) => (/^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  function folder() {
    if (location.protocol !== "file:") return ".";
    const path = decodeURIComponent(location.pathname);
    return path.slice(0, path.lastIndexOf("/")) || ".";
  }
  const again = (member) => `thalweg run --from ${quoted(`${folder()}/${member.id}/run.json`)} --out ${quoted(`again-${member.id}`)}`;

  function table(members) {
    const rows = sweep.columns
      .filter((column) => members.some((member) => member.metrics[column.name] !== undefined))
      .map((column) => make("tr", {}, make("th", { scope: "row", title: column.meaning }, titled(column.name)),
        ...members.map((member) => make("td", {}, figure(member.metrics[column.name])))));
    const head = make("tr", {}, make("th", { scope: "col" }, "metric"),
      ...members.map((member) => make("th", { scope: "col" }, name(member))));
    return make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
  }

  function pictures(member) {
    const kinds = member.pictures.relief ? KINDS : ["thumbnail"];
    const large = kinds.filter((key) => member.pictures[key]).map((key) => [key, member.pictures[key]]);
    return make("div", { class: "pictures" }, ...large.map(([key, path]) =>
      make("figure", {}, make("img", { src: path, alt: `${key} of ${name(member)}` }), make("figcaption", {}, key))));
  }

  function show(title, ...content) {
    const dialog = by("detail");
    const close = make("button", { type: "button", onclick: () => dialog.close() }, "Close");
    dialog.replaceChildren(make("div", { class: "bar" }, make("h2", { id: "detail-title" }, title), close), ...content.filter((part) => part !== null));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    close.focus();
  }

  let current = null;
  function detail(member) {
    current = member;
    const finished = member.status === "done" || member.status === "invalid";
    const files = [["pipeline", "sweep/pipeline.yaml"]];
    if (finished) files.unshift(["run.json (parameters, ledger)", "run.json"]);
    if (member.status !== "pending") files.push(["log", "sweep/log.txt"]);
    const links = files.flatMap(([text, path]) => [make("a", { href: `${member.id}/${path}` }, text), " "]);
    show(`${name(member)}: ${member.status}`,
      member.reason ? make("p", { class: "reason" }, member.reason) : null,
      pictures(member), table([member]),
      make("p", {}, ...links),
      finished ? make("p", {}, member.dropped ? "Its outputs were dropped; the same bytes again: " : "The same again: ", make("code", {}, again(member))) : null,
      make("p", {}, "Arrow keys go to the members before and after."));
  }

  function compare() {
    current = null;
    const two = sweep.members.filter((member) => marked.has(member.id));
    const pairs = [...KINDS, "thumbnail"].filter((key) => two.some((member) => member.pictures[key]));
    const kinds = pairs.length > 1 ? pairs.filter((key) => key !== "thumbnail") : pairs;
    const blocks = kinds.map((key) => make("div", { class: "columns" }, ...two.map((member) =>
      make("figure", {}, member.pictures[key] ? make("img", { src: member.pictures[key], alt: `${key} of ${name(member)}` }) : null,
        make("figcaption", {}, `${key}, ${name(member)}`)))));
    show("Two members", ...blocks, table(two));
  }

  const hasRank = sweep.members.some((member) => member.rank !== null);
  const options = sweep.columns.map((column) => make("option", { value: column.name }, titled(column.name)));
  by("sort").append(...(hasRank ? [make("option", { value: "rank" }, "rank")] : []), ...options);
  by("metric").append(make("option", { value: "" }, "–"), ...options.map((option) => option.cloneNode(true)));
  by("controls").addEventListener("input", draw);
  by("controls").addEventListener("submit", (event) => event.preventDefault());
  by("controls").addEventListener("reset", () => setTimeout(() => { marked.clear(); by("compare").disabled = true; draw(); }));
  by("compare").addEventListener("click", compare);
  by("detail").addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const next = current && step ? shown[shown.indexOf(current) + step] : undefined;
    if (next) { event.preventDefault(); detail(next); }
  });
  draw();
})();
