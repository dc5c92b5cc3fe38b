// What the Builder needs of a browser: fields that save themselves, and the way to a field that is wrong.
import { useEffect, useRef, useState } from "react";

const PAUSE_MS = 800;
const RING_MS = 1_000;

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

/** Calls `onReturn` when the page is looked at again, and leads to the field `marked`. */
export function Watch({ marked, drawn, onReturn }) {
  useEffect(() => {
    const look = () => document.visibilityState === "visible" && onReturn();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  useEffect(() => {
    if (!marked) return undefined;
    const timer = setTimeout(() => {
      const field = document.getElementById(marked) ?? document.querySelector(`[data-at="${CSS.escape(marked)}"]`);
      if (!field) return;
      field.scrollIntoView({ block: "center" });
      field.focus({ preventScroll: true });
      field.classList.add("ringed");
      setTimeout(() => field.classList.remove("ringed"), RING_MS);
    }, 250);
    return () => clearTimeout(timer);
  }, [marked, drawn]);
  return null;
}
