"""What happens before the first paint, and what surrounds every page of the client."""

import json
from collections.abc import Callable

import reflex as rx
from reflex.vars.function import FunctionVar
from reflex_components_core.base.error_boundary import ErrorBoundary

from agenticos_app.i18n import LANGUAGES, t
from components.ui.button import button

STYLESHEETS = [
    "/tokens.css",
    "/kit.css",
    "/turn.css",
    "/cards.css",
    "/chat.css",
    "/activity.css",
    "/settings.css",
    "/vault.css",
    "/agent.css",
    "/models.css",
    "/agents.css",
    "/builder.css",
    "/toolbox.css",
]

_FIRST = """
(() => {
  const root = document.documentElement;
  let chosen, folded;
  try {
    chosen = localStorage.getItem("language");
    folded = localStorage.getItem("sidebar");
  } catch {}
  const known = %s;
  const wanted = [chosen, ...navigator.languages.map((name) => name.slice(0, 2))];
  root.lang = wanted.find((name) => known.includes(name)) ?? "en";
  if (root.lang !== "en") {
    root.classList.add("untranslated");
    setTimeout(() => root.classList.remove("untranslated"), 2000);
  }
  if (folded) root.classList.add(folded);
  addEventListener("submit", (event) => event.preventDefault(), true);
})();
"""
"""The client is prerendered in English: another language hides the first paint until its texts are there.

All forms are sent by scripts: one that is sent before they are there stays as it is, instead of leaving with
what was typed in its address.

Inline, because it must run before the body is drawn; the server's content policy names its hash.
"""


def tab(page: rx.Var[str]) -> rx.Var[str]:
    """Return the name of the browser's tab, for `rx.page(title=...)`."""
    return t("frame.tab", page=page)


def head() -> list[rx.Component]:
    """Return what every page has in its head: language and sidebar before the first paint, icons."""
    return [
        rx.el.script(_FIRST % json.dumps(list(LANGUAGES))),
        rx.el.link(rel="icon", href="/favicon.svg", type="image/svg+xml"),
        rx.el.link(rel="alternate icon", href="/favicon.ico", sizes="32x32"),
        rx.el.meta(
            name="theme-color", content="#f7f7f8", custom_attrs={"media": "(prefers-color-scheme: light)"}
        ),
        rx.el.meta(
            name="theme-color", content="#101012", custom_attrs={"media": "(prefers-color-scheme: dark)"}
        ),
    ]


def wraps() -> dict[tuple[int, str], Callable[[bool], rx.Component | None]]:
    """Return what is drawn around every page, instead of Reflex's own banners and crash page."""
    return {(55, "ErrorBoundary"): lambda _: ErrorBoundary.create(fallback_render=rx.Var.create(_crashed()))}


def _crashed() -> rx.Component:
    return rx.el.main(
        rx.el.title(t("crash.title")),
        rx.el.h1(t("crash.title"), class_name="title"),
        rx.el.p(t("crash.sentence"), class_name="sec"),
        button(t("crash.reload"), look="primary", icon="rotate-cw", on_click=reload_page()),
        class_name="bare-box",
    )


def reload_page() -> FunctionVar:
    """Return a handler that loads the page anew."""
    return rx.Var("(() => location.reload())").to(FunctionVar)
