// The test chat beside the Builder: a column that is remembered, or a sheet where there is no room for one.
import { useEffect, useRef, useSyncExternalStore } from "react";

const KEY = "test_chat";
const HIDDEN = "hidden";
const PLACE = "test-chat";
const hasRoom = () => window.matchMedia("(min-width: 1281px)");

let shown = false;
let isAsked = false; // by a person, who then wants to write
const listeners = new Set();

function show(on, asked = false) {
  shown = on;
  isAsked = asked;
  for (const tell of listeners) tell();
}

const useShown = () =>
  useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => shown,
    () => false,
  );

function remembered() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function toggle() {
  if (hasRoom().matches) {
    try {
      localStorage.setItem(KEY, shown ? HIDDEN : "");
    } catch {
      // without storage it is shown again with the next page
    }
  }
  show(!shown, true);
}

/** The button of the page's head. */
export function TestToggle({ showLabel, hideLabel, className, children }) {
  const on = useShown();
  return (
    <button id="test-toggle" type="button" className={className} aria-expanded={on} aria-controls={PLACE} onClick={toggle}>
      {children}
      <span className="toggle-word">{on ? hideLabel : showLabel}</span>
    </button>
  );
}

/** Hides the panel from inside. */
export function TestClose({ label, className, children }) {
  return (
    <button type="button" className={className} aria-label={label} title={label} onClick={toggle}>
      {children}
    </button>
  );
}

/** The panel; what it holds exists while it is shown. */
export function TestPanel({ label, className, children }) {
  const on = useShown();
  const place = useRef();
  useEffect(() => {
    const room = hasRoom();
    const settle = () => show(room.matches && remembered() !== HIDDEN);
    settle();
    room.addEventListener("change", settle);
    return () => room.removeEventListener("change", settle);
  }, []);
  useEffect(() => {
    if (!isAsked) return;
    isAsked = false;
    if (on) place.current?.querySelector("textarea")?.focus();
    else document.getElementById("test-toggle")?.focus();
  }, [on]);
  function press(event) {
    if (event.key !== "Escape" || event.defaultPrevented || hasRoom().matches) return;
    event.stopPropagation();
    toggle();
  }
  if (!on) return null;
  return (
    <>
      <div className="test-scrim" aria-hidden="true" onClick={toggle} />
      <aside id={PLACE} ref={place} className={className} aria-label={label} onKeyDown={press}>
        {children}
      </aside>
    </>
  );
}
