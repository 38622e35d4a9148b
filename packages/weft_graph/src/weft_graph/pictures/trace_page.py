"""A trace as a page for a browser, on which one steps through the graph as it changes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

from weft_graph.pictures.trace_frames import DRAWN, Frame, Stage, frames_of

__all__ = ["page_of"]

_STYLE = """
body { margin: 0; height: 100vh; display: grid; grid-template: auto 1fr / 19rem 1fr;
  background: #f8fafc; color: #0f172a; font: 15px system-ui, sans-serif; }
header { grid-column: 1 / 3; padding: .6rem 1rem; border-bottom: 1px solid #cbd5e1;
  background: #fff; display: flex; gap: .6rem; align-items: center; }
header h1 { font-size: 1.1rem; margin: 0 1rem 0 0; } #slider { flex: 1; }
button { font: inherit; padding: .1rem .7rem; }
nav { overflow: auto; border-right: 1px solid #cbd5e1; background: #fff; padding: .5rem; }
nav h2 { font-size: .8rem; margin: .6rem .4rem .2rem; color: #64748b; }
nav a { display: block; padding: .1rem .4rem; border-radius: 6px; color: inherit;
  text-decoration: none; overflow-wrap: anywhere; }
nav a.now { background: #fde68a; }
main { overflow: auto; padding: 1rem; } main h2 { font-size: 1.05rem; margin: 0 0 .4rem; }
code { font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.place { color: #64748b; margin: .3rem 0 .8rem; }
.pictures { display: flex; gap: 1rem; align-items: flex-start; }
figure { flex: 1 1 0; min-width: 0; margin: 0; padding: .8rem; overflow: auto; background: #fff;
  border: 1px solid #cbd5e1; border-radius: 10px; }
figcaption { color: #64748b; margin-bottom: .4rem; }
svg { max-width: 100%; height: auto; display: block; margin: auto; }
svg text { font: 12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  text-anchor: middle; fill: #0f172a; } svg .type { font-size: 10px; fill: #64748b; }
svg path { fill: none; stroke: #94a3b8; stroke-width: 1.3; } svg rect { stroke-width: 1.5; }
"""

_SCRIPT = """
const steps = document.querySelectorAll("template"), links = document.querySelectorAll("nav a");
const slider = document.getElementById("slider"), main = document.querySelector("main");
function show(wanted) {
  const step = Math.max(1, Math.min(steps.length, wanted || 1));
  main.replaceChildren(steps[step - 1].content.cloneNode(true));
  main.scrollTop = 0;
  slider.value = step;
  document.getElementById("number").textContent = step;
  document.querySelector("nav .now")?.classList.remove("now");
  links[step - 1].classList.add("now");
  links[step - 1].scrollIntoView({ block: "nearest" });
  if (location.hash !== "#" + step) history.replaceState(null, "", "#" + step);
}
const now = () => Number(slider.value);
const keys = { ArrowRight: () => now() + 1, ArrowLeft: () => now() - 1,
  ArrowDown: () => now() + 1, ArrowUp: () => now() - 1, Home: () => 1, End: () => steps.length };
addEventListener("keydown", event => {
  if (!keys[event.key]) return;
  event.preventDefault();
  show(keys[event.key]());
});
slider.addEventListener("input", () => show(now()));
document.querySelectorAll("button").forEach(button =>
  button.addEventListener("click", () => show(keys[button.dataset.key]())));
addEventListener("hashchange", () => show(Number(location.hash.slice(1))));
if (steps.length) show(Number(location.hash.slice(1)));
"""

_BUTTONS = (("Home", "first"), ("ArrowLeft", "previous"), ("ArrowRight", "next"), ("End", "last"))


def page_of(phases: Sequence[Stage]) -> str:
    """The page as text; it needs no network, and no other file.

    >>> "No rule applied." in page_of([])
    True
    """
    frames = list(frames_of(phases))
    buttons = "".join(f'<button data-key="{key}">{text}</button>' for key, text in _BUTTONS)
    start = "" if frames else "<p>No rule applied.</p>"
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f"<title>rewriting, step by step</title><style>{_STYLE}</style></head>\n<body>\n"
        f'<header><h1>Step <span id="number">0</span> of {len(frames)}</h1>{buttons}'
        f'<input type="range" id="slider" min="1" max="{max(len(frames), 1)}" value="1"></header>\n'
        f"<nav>{_contents(frames)}</nav>\n<main>{start}</main>\n"
        + "\n".join(map(_template, frames))
        + f"\n<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def _contents(frames: Sequence[Frame]) -> str:
    parts = []
    for phase, group in groupby(enumerate(frames, 1), lambda numbered: numbered[1].phase):
        parts.append(f"<h2>{escape(phase)}</h2>")
        parts += [f'<a href="#{number}">{number} {escape(f.title)}</a>' for number, f in group]
    return "".join(parts)


def _template(frame: Frame) -> str:
    figures = "".join(
        f"<figure><figcaption>{caption}</figcaption>{picture}</figure>"
        for caption, picture in zip(("before", "after"), frame.pictures, strict=True)
        if picture
    )
    if not figures:
        figures = f"<p>The first {DRAWN} steps have pictures, this one has none.</p>"
    return (
        f"<template><h2>{escape(frame.phase)}: {escape(frame.title)}</h2>"
        f"<code>{escape(frame.before)}</code> → <code>{escape(frame.after)}</code>"
        f'<div class="place">{escape(frame.place)}</div>'
        f'<div class="pictures">{figures}</div></template>'
    )
