"use strict";

const ROW = 76;
const MARGIN = 28;
const SVG = "http://www.w3.org/2000/svg";
const LISTED = 40;

const byId = (id) => document.getElementById(id);

function made(tag, attributes = {}, ...children) {
  const found = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) found.addEventListener(name.slice(2), value);
    else found.setAttribute(name, value);
  }
  found.append(...children);
  return found;
}

function drawn(tag, attributes = {}, text = "") {
  const found = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, value);
  found.textContent = text;
  return found;
}

/* Every edge from box to box, with the joints between: pieces of one edge follow their parents. */
function edgesOf(graph) {
  const count = graph.boxes.length;
  const parent = new Map();
  const edges = [];
  for (const [from, to, shift] of graph.links) {
    if (to >= count) {
      parent.set(to, from);
      continue;
    }
    const joints = [];
    let source = from;
    for (; source >= count; source = parent.get(source)) joints.push(source);
    edges.push({ source, target: to, joints: joints.reverse(), shift });
  }
  return edges;
}

/* One graph in its pane: what is visible of it, and through which window. */
class View {
  constructor(section, graph, page) {
    Object.assign(this, { section, page, ...graph });
    this.svg = section.querySelector("svg");
    this.groups = [...this.svg.querySelectorAll("g.box")];
    this.path = this.svg.querySelector("path");
    this.lit = drawn("path", { class: "lit" });
    this.path.after(this.lit);
    this.edges = edgesOf(graph);
    this.inputs = this.boxes.map(() => []);
    this.users = this.boxes.map(() => []);
    for (const edge of this.edges) {
      this.inputs[edge.target].push(edge);
      this.users[edge.source].push(edge);
    }
    const isEnd = (i) => this.boxes[i].kind === "output" || !this.users[i].length;
    this.ends = [...this.boxes.keys()].filter(isEnd);
    this.folded = new Set();
    this.selected = null;
    this.prepare();
    this.refresh();
    this.resized();
  }

  prepare() {
    this.svg.removeAttribute("width");
    this.svg.removeAttribute("height");
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label", this.section.querySelector("h2").lastChild.textContent);
    this.groups.forEach((group, i) => {
      const box = this.boxes[i];
      group.setAttribute("role", "button");
      group.setAttribute("tabindex", "-1");
      group.setAttribute("aria-label", `${box.label} : ${box.type}`);
      group.dataset.node = i;
      if (box.inner) group.classList.add("holds");
      if (this.inputs[i].length) group.append(this.badge());
    });
    const first = this.ends.at(-1);
    if (first !== undefined) this.groups[first].setAttribute("tabindex", "0");
    this.svg.addEventListener("click", (event) => this.clicked(event));
    this.svg.addEventListener("dblclick", (event) => this.nodeOf(event, (i) => this.toggle(i)));
    this.svg.addEventListener("focusin", (event) => this.nodeOf(event, (i) => this.select(i)));
    this.svg.addEventListener("keydown", (event) => this.nodeOf(event, (i) => this.pressed(event, i)));
    this.svg.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
    this.svg.addEventListener("pointerdown", (event) => this.grabbed(event));
    new ResizeObserver(() => this.resized()).observe(this.svg.parentNode);
  }

  badge() {
    const badge = drawn("g", { class: "fold" });
    badge.append(drawn("title"), drawn("rect", { rx: 6, height: 13 }), drawn("text"));
    return badge;
  }

  nodeOf(event, action) {
    const group = event.target.closest?.("g.box");
    if (group) action(Number(group.dataset.node));
  }

  clicked(event) {
    if (this.wasDragged) return;
    if (!event.target.closest("g.box")) return this.page.close();
    this.nodeOf(event, (i) => {
      if (event.target.closest(".fold")) this.toggle(i);
      this.select(i, { focus: true });
    });
  }

  /* Folding ------------------------------------------------------------------------------ */

  reached() {
    const seen = new Set(this.ends);
    const todo = [...seen];
    while (todo.length) {
      const i = todo.pop();
      if (this.folded.has(i)) continue;
      for (const { source } of this.inputs[i]) {
        if (!seen.has(source)) {
          seen.add(source);
          todo.push(source);
        }
      }
    }
    return seen;
  }

  toggle(i) {
    if (!this.inputs[i].length) return;
    const before = this.y(i);
    if (!this.folded.delete(i)) this.folded.add(i);
    this.refresh();
    this.cy += this.y(i) - before;
    this.apply();
    if (this.selected === i) this.page.show(this, i);
  }

  unfold(i) {
    const seen = new Set([i]);
    const todo = [i];
    while (todo.length) {
      for (const { target } of this.users[todo.pop()]) {
        if (!seen.has(target)) {
          seen.add(target);
          todo.push(target);
          this.folded.delete(target);
        }
      }
    }
    this.refresh();
  }

  hiddenBy(i) {
    const others = this.visible.has(i) ? this.visible : this.reached();
    const seen = new Set([i]);
    const todo = [i];
    while (todo.length) {
      for (const { source } of this.inputs[todo.pop()]) {
        if (!seen.has(source) && !others.has(source)) {
          seen.add(source);
          todo.push(source);
        }
      }
    }
    return seen.size - 1;
  }

  /* Drawing ------------------------------------------------------------------------------ */

  y(i) {
    return MARGIN + ROW * (this.ranks.get(this.rows[i]) ?? 0);
  }

  refresh() {
    this.visible = this.reached();
    const rows = [...new Set([...this.visible].map((i) => this.rows[i]))].sort((a, b) => a - b);
    this.ranks = new Map(rows.map((row, rank) => [row, rank]));
    this.groups.forEach((group, i) => {
      const shown = this.visible.has(i);
      group.toggleAttribute("hidden", !shown);
      if (!shown) return;
      const shift = this.y(i) - (MARGIN + ROW * this.rows[i]);
      if (shift || group.hasAttribute("transform")) group.setAttribute("transform", `translate(0 ${shift})`);
      if (this.inputs[i].length) this.mark(group, i);
    });
    this.path.setAttribute("d", this.curves(this.edges));
    this.light();
  }

  mark(group, i) {
    const folded = this.folded.has(i);
    group.classList.toggle("folded", folded);
    group.setAttribute("aria-expanded", String(!folded));
    const [title, rect, text] = group.querySelector(".fold").children;
    text.textContent = folded ? `+${this.hiddenBy(i)}` : "−";
    title.textContent = folded ? "Unfold what it is computed from" : "Fold what it is computed from";
    const width = 8 + 6 * text.textContent.length;
    const middle = MARGIN + ROW * this.rows[i] - this.halves[i];
    rect.setAttribute("x", this.x[i] - width / 2);
    rect.setAttribute("y", middle - 6.5);
    rect.setAttribute("width", width);
    text.setAttribute("x", this.x[i]);
    text.setAttribute("y", middle + 3);
  }

  /* The curves of those edges of which both ends are visible. */
  curves(edges) {
    const pieces = new Map();
    const leans = new Map();
    for (const { source, target, joints, shift } of edges) {
      if (this.folded.has(target) || !this.visible.has(target)) continue;
      let from = { key: source, x: this.x[source], y: this.y(source) + this.halves[source] };
      const points = joints.filter((j) => this.ranks.has(this.rows[j])).map((j) => ({ key: j, x: this.x[j], y: this.y(j) }));
      points.push({ key: `${target},${shift}`, x: this.x[target] + shift, y: this.y(target) - this.halves[target] });
      for (const to of points) {
        const key = `${from.key} ${to.key}`;
        if (!pieces.has(key)) {
          pieces.set(key, [from, to]);
          for (const { key: end } of [from, to]) {
            const lean = leans.get(end) ?? [0, 0];
            leans.set(end, [lean[0] + (to.x - from.x) / ROW, lean[1] + 1]);
          }
        }
        from = to;
      }
    }
    const lean = ({ key }) => (key >= this.boxes.length ? leans.get(key)[0] / leans.get(key)[1] : 0);
    return [...pieces.values()].map(([a, b]) => {
      const reach = (b.y - a.y) / 2;
      return `M${a.x} ${a.y}C${a.x + lean(a) * reach} ${a.y + reach} ${b.x - lean(b) * reach} ${a.y + reach} ${b.x} ${b.y}`;
    }).join("");
  }

  light() {
    const i = this.selected;
    this.lit.setAttribute("d", i === null ? "" : this.curves([...this.inputs[i], ...this.users[i]]));
  }

  /* Selecting ---------------------------------------------------------------------------- */

  select(i, { focus = false, centre = false } = {}) {
    if (!this.visible.has(i)) this.unfold(i);
    if (this.selected !== i) {
      this.deselect();
      this.selected = i;
      this.svg.querySelector("g.box[tabindex='0']")?.setAttribute("tabindex", "-1");
      this.groups[i].setAttribute("tabindex", "0");
      this.groups[i].classList.add("selected");
      this.light();
      this.page.show(this, i);
      this.bringIn(i);
    }
    if (centre) this.centre(i);
    if (focus) this.groups[i].focus({ preventScroll: true });
  }

  deselect() {
    if (this.selected !== null) this.groups[this.selected].classList.remove("selected");
    this.selected = null;
    this.light();
  }

  pressed(event, i) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const next = {
      ArrowUp: () => this.inputs[i].map((edge) => edge.source),
      ArrowDown: () => this.users[i].map((edge) => edge.target),
      ArrowLeft: () => [this.beside(i, -1)],
      ArrowRight: () => [this.beside(i, 1)],
    }[event.key]?.().find((j) => this.visible.has(j));
    if (next !== undefined) this.select(next, { focus: true });
    else if (event.key === "Enter" || event.key === " ") this.toggle(i);
    else if (event.key === "o" && this.boxes[i].inner) this.page.open(this.boxes[i].inner[0]);
    else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    event.stopPropagation();
  }

  beside(i, step) {
    const row = [...this.visible].filter((j) => this.rows[j] === this.rows[i]).sort((a, b) => this.x[a] - this.x[b]);
    return row[row.indexOf(i) + step];
  }

  /* The window --------------------------------------------------------------------------- */

  apply() {
    if (this.scale === undefined) return;
    const [width, height] = this.size.map((length) => length / this.scale);
    const numbers = [this.cx - width / 2, this.cy - height / 2, width, height];
    this.svg.setAttribute("viewBox", numbers.map((n) => n.toFixed(2)).join(" "));
  }

  /* Measures the pane, which is slow to ask for; what is at the upper left stays there. */
  resized() {
    const { left, top, width, height } = this.svg.parentNode.getBoundingClientRect();
    if (!width || !height) return;
    const before = this.size;
    this.size = [width, height];
    this.corner = [left, top];
    if (this.scale === undefined) this.begin();
    else {
      this.cx += (width - before[0]) / 2 / this.scale;
      this.cy += (height - before[1]) / 2 / this.scale;
    }
    this.apply();
  }

  begin() {
    this.fit();
    if (this.scale < 0.45 && this.ends.length) {
      this.scale = 0.8;
      const last = this.ends.reduce((a, b) => (this.y(a) > this.y(b) ? a : b));
      this.cx = this.x[last];
      this.cy = this.y(last) + 60 - this.size[1] / 2 / this.scale;
      this.apply();
    }
  }

  fit() {
    const shown = [...this.visible];
    if (!shown.length) return;
    const left = Math.min(...shown.map((i) => this.x[i] - this.widths[i] / 2));
    const right = Math.max(...shown.map((i) => this.x[i] + this.widths[i] / 2));
    const top = Math.min(...shown.map((i) => this.y(i))) - MARGIN;
    const bottom = Math.max(...shown.map((i) => this.y(i))) + MARGIN;
    const [width, height] = this.size;
    this.scale = Math.min(1.4, width / (right - left + 40), height / (bottom - top + 24));
    this.cx = (left + right) / 2;
    this.cy = (top + bottom) / 2;
    this.apply();
  }

  zoom(factor, x = this.size[0] / 2, y = this.size[1] / 2) {
    const [width, height] = this.size;
    const scale = Math.min(6, Math.max(0.02, this.scale * factor));
    const change = 1 / this.scale - 1 / scale;
    this.cx += (x - width / 2) * change;
    this.cy += (y - height / 2) * change;
    this.scale = scale;
    this.apply();
  }

  centre(i) {
    this.cx = this.x[i];
    this.cy = this.y(i);
    this.scale = Math.max(this.scale, 0.6);
    this.apply();
  }

  bringIn(i) {
    if (this.scale === undefined) return;
    const [width, height] = this.size.map((length) => length / this.scale);
    if (Math.abs(this.x[i] - this.cx) > width * 0.45 || Math.abs(this.y(i) - this.cy) > height * 0.45) this.centre(i);
  }

  wheeled(event) {
    event.preventDefault();
    this.page.use(this);
    const step = event.deltaMode ? 18 : 1;
    const [left, top] = this.corner;
    this.zoom(Math.exp(-event.deltaY * step * 0.0015), event.clientX - left, event.clientY - top);
  }

  grabbed(event) {
    this.page.use(this);
    this.wasDragged = false;
    if (event.button) return;
    const start = [event.clientX, event.clientY, this.cx, this.cy];
    const moved = (move) => {
      const dx = move.clientX - start[0];
      const dy = move.clientY - start[1];
      if (!this.wasDragged && Math.hypot(dx, dy) < 4) return;
      this.wasDragged = true;
      this.svg.classList.add("dragged");
      this.cx = start[2] - dx / this.scale;
      this.cy = start[3] - dy / this.scale;
      this.apply();
    };
    const ended = () => {
      this.svg.classList.remove("dragged");
      for (const name of ["pointerup", "pointercancel"]) window.removeEventListener(name, ended);
      window.removeEventListener("pointermove", moved);
    };
    window.addEventListener("pointermove", moved);
    for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, ended);
  }
}

/* All graphs of the page, the search over them and the panel for one node. */
class Page {
  constructor() {
    const { graphs, places } = JSON.parse(byId("graphs").textContent);
    this.places = places;
    this.details = byId("details");
    this.above = [];
    this.matches = [];
    this.match = -1;
    document.body.classList.add("live");
    document.querySelector(".tools").hidden = false;
    const sections = [...document.querySelectorAll(".pane")];
    this.views = sections.map((section, k) => new View(section, graphs[k], this));
    this.use(this.views[0]);
    this.listen();
  }

  listen() {
    const act = (id, action) => byId(id).addEventListener("click", action);
    act("in", () => this.current?.zoom(1.3));
    act("out", () => this.current?.zoom(1 / 1.3));
    act("fit", () => this.shown().forEach((view) => view.fit()));
    act("unfold", () => this.unfold());
    act("next", () => this.go(1));
    act("previous", () => this.go(-1));
    for (const button of document.querySelectorAll(".back")) button.addEventListener("click", () => this.back());
    byId("search").addEventListener("input", () => this.search());
    byId("search").addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.go(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") {
        byId("search").value = "";
        this.search();
      }
    });
    document.addEventListener("keydown", (event) => this.pressed(event));
  }

  pressed(event) {
    if (event.target.closest("input") || event.ctrlKey || event.altKey || event.metaKey) return;
    const action = {
      "/": () => byId("search").focus(),
      "+": () => this.current?.zoom(1.3),
      "=": () => this.current?.zoom(1.3),
      "-": () => this.current?.zoom(1 / 1.3),
      0: () => this.shown().forEach((view) => view.fit()),
      u: () => this.unfold(),
      Escape: () => (this.details.hidden && this.above.length ? this.back() : this.close()),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  shown() {
    return this.views.filter((view) => !view.section.hidden);
  }

  use(view) {
    this.current = view;
    for (const other of this.views) other.section.classList.toggle("current", other === view && this.shown().length > 1);
  }

  unfold() {
    for (const view of this.shown()) {
      view.folded.clear();
      view.refresh();
    }
  }

  open(k) {
    this.close();
    this.above.push(this.shown());
    for (const view of this.shown()) view.section.hidden = true;
    this.enter([this.views[k]]);
  }

  back() {
    this.close();
    for (const view of this.shown()) view.section.hidden = true;
    this.enter(this.above.pop());
  }

  enter(views) {
    for (const view of views) {
      view.section.hidden = false;
      view.resized();
    }
    this.use(views[0]);
    if (byId("search").value) this.search();
  }

  /* Search ------------------------------------------------------------------------------- */

  words(box) {
    const place = this.places[box.place];
    const line = place?.lines?.[place.line - place.first] ?? "";
    const about = (box.about ?? []).flat();
    return [box.label, box.type, ...about, place?.where ?? "", line].join("\n").toLowerCase();
  }

  search() {
    const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    this.matches = [];
    this.match = -1;
    for (const view of this.shown()) {
      view.haystacks ??= view.boxes.map((box) => this.words(box));
      view.svg.classList.toggle("searched", words.length > 0);
      view.groups.forEach((group, i) => {
        const matches = words.length > 0 && words.every((word) => view.haystacks[i].includes(word));
        group.classList.toggle("match", matches);
        if (matches) this.matches.push([view, i]);
      });
    }
    if (this.matches.length) this.go(1);
    else byId("found").value = words.length ? "none" : "";
  }

  go(step) {
    const count = this.matches.length;
    if (!count) return;
    this.match = (this.match + step + count) % count;
    byId("found").value = `${this.match + 1} / ${count}`;
    const [view, i] = this.matches[this.match];
    this.use(view);
    view.select(i, { centre: true });
  }

  /* Details ------------------------------------------------------------------------------ */

  close() {
    for (const view of this.views) view.deselect();
    this.reveal(false);
  }

  reveal(open) {
    this.details.hidden = !open;
    for (const view of this.shown()) view.resized();
  }

  show(view, i) {
    for (const other of this.views) if (other !== view) other.deselect();
    this.use(view);
    const box = view.boxes[i];
    const type = made("div", { class: "shown-type" }, box.type);
    const close = made("button", { class: "close", "aria-label": "Close", onclick: () => this.close() }, "×");
    const heading = made("h3", {}, box.label);
    this.details.replaceChildren(close, heading, type, this.actions(view, i), ...this.place(box),
      ...this.about(box), ...this.list(view, "Inputs", view.inputs[i].map((edge) => edge.source)),
      ...this.list(view, "Used by", [...new Set(view.users[i].map((edge) => edge.target))]));
    this.reveal(true);
  }

  actions(view, i) {
    const actions = made("div", { class: "actions" });
    if (view.inputs[i].length) {
      const text = view.folded.has(i) ? "Unfold inputs" : "Fold inputs";
      actions.append(made("button", { class: "toggle", onclick: () => view.toggle(i) }, text));
    }
    for (const k of view.boxes[i].inner ?? []) {
      actions.append(made("button", { class: "open", onclick: () => this.open(k) }, "Open the graph inside"));
    }
    return actions;
  }

  place(box) {
    const place = this.places[box.place];
    if (!place) return [];
    const parts = [made("h4", {}, "Made at"), made("div", { class: "where" }, place.where)];
    if (place.lines) {
      const lines = place.lines.map((line, k) => {
        const number = place.first + k;
        const kind = number === place.line ? "here" : "";
        return made("span", { class: kind }, made("span", { class: "number" }, `${number}`), line || " ");
      });
      parts.push(made("pre", {}, ...lines));
    }
    return parts;
  }

  about(box) {
    if (!box.about) return [];
    const entries = box.about.flatMap(([name, value]) => [made("dt", {}, name), made("dd", {}, value)]);
    return [made("h4", {}, "Parameters"), made("dl", {}, ...entries)];
  }

  list(view, title, nodes) {
    if (!nodes.length) return [];
    const entries = nodes.slice(0, LISTED).map((j) => {
      const go = () => view.select(j, { focus: true, centre: true });
      return made("li", {}, made("button", { onclick: go }, view.groups[j].querySelector("text").textContent));
    });
    if (nodes.length > LISTED) entries.push(made("li", {}, `and ${nodes.length - LISTED} more`));
    return [made("h4", {}, title), made("ul", {}, ...entries)];
  }
}

new Page();
