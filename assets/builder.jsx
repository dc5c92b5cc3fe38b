// What the Builder needs of a browser: fields that save themselves, and the way to a field that is wrong.
import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";

const PAUSE_MS = 800;
const RING_MS = 1_000;
const SEEK_MS = 2_000;

/**
 * A field whose text saves itself: after a pause, when it loses the focus and when it goes away. What was typed
 * and not yet confirmed outlives a reload in `keep`, the name of a place of its own.
 */
export function SavedText({ lines, value, keep, onSave, ...rest }) {
  const stored = keep ? sessionStorage.getItem(keep) : null;
  const [text, setText] = useState(stored ?? value);
  const state = useRef({});
  state.current = { ...state.current, text, value, onSave };
  const timer = useRef(null);

  function flush() {
    clearTimeout(timer.current);
    const { text: typed, sent, value: known, onSave: save } = state.current;
    if (typed === (sent ?? known)) return;
    state.current.sent = typed;
    save(typed);
  }

  function type({ target }) {
    setText(target.value);
    state.current.text = target.value;
    if (keep) sessionStorage.setItem(keep, target.value);
    clearTimeout(timer.current);
    timer.current = setTimeout(flush, PAUSE_MS);
  }

  const kept = useRef(keep);
  useEffect(() => {
    if (!keep && kept.current) sessionStorage.removeItem(kept.current); // the server holds it now
    kept.current = keep;
  }, [keep]);
  useEffect(() => {
    const { text: typed, known } = state.current;
    if (keep && value === typed) sessionStorage.removeItem(keep);
    if (known !== undefined && typed === known) setText(value); // nothing is typed that is not saved
    state.current.known = value;
    state.current.sent = undefined;
  }, [value]);
  useEffect(() => {
    if (stored !== null && stored !== value) flush();
    const leave = () => document.visibilityState === "hidden" && flush();
    document.addEventListener("visibilitychange", leave);
    return () => {
      document.removeEventListener("visibilitychange", leave);
      flush();
    };
  }, []);

  const Field = lines ? "textarea" : "input";
  return <Field {...rest} value={text} onChange={type} onBlur={flush} />;
}

/** The field that is called `at`; with `near` what is around it, when the page does not have it. */
function placeOf(at, near) {
  const found = document.getElementById(at) ?? document.querySelector(`[data-at="${CSS.escape(at)}"]`);
  const outer = at.slice(0, Math.max(0, at.lastIndexOf(".")));
  return found ?? (near && outer ? placeOf(outer, near) : null);
}

function ring(field) {
  field.scrollIntoView({ block: "center" });
  field.focus({ preventScroll: true });
  field.classList.add("ringed");
  setTimeout(() => field.classList.remove("ringed"), RING_MS);
}

/** Calls `onReturn` when the page is looked at again, and leads to the field `marked`. */
export function Watch({ marked, drawn, onReturn }) {
  const { key } = useLocation();
  useEffect(() => {
    const look = () => document.visibilityState === "visible" && onReturn();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  useEffect(() => {
    if (!marked) return undefined;
    const due = Date.now() + SEEK_MS; // what holds the field may have to be opened first
    const timer = setInterval(() => {
      const field = placeOf(marked, Date.now() > due);
      if (!field && Date.now() < due) return;
      clearInterval(timer);
      if (field) ring(field);
    }, 100);
    return () => clearInterval(timer);
  }, [marked, drawn, key]);
  return null;
}
