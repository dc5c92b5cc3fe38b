// What the Builder needs of a browser: fields that save themselves, and the way to a field that is wrong.
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useLocation } from "react-router";
import { useFormat } from "$/public/i18n.js";
import { useAway } from "$/public/kit.jsx";

const PAUSE_MS = 800;
const AGAIN_MS = 6_000;
const LOOK_MS = 15_000;
const SEEK_MS = 4_000;
const RING_MS = 1_000;
const COPIES = "draft:builder/"; // signing out forgets what begins with `draft:`

const unsaved = new Set(); // the words of fields that the server does not have
const readers = new Set();

function mark(words, is) {
  if (is) unsaved.add(words);
  else unsaved.delete(words);
  readers.forEach((tell) => tell());
}

function useUnsaved() {
  return useSyncExternalStore(
    (tell) => {
      readers.add(tell);
      return () => readers.delete(tell);
    },
    () => unsaved.size > 0,
    () => false,
  );
}

function readCopy(place) {
  try {
    return JSON.parse(localStorage.getItem(COPIES + place));
  } catch {
    return null;
  }
}

function keepCopy(place, copy) {
  if (!place) return;
  try {
    if (copy) localStorage.setItem(COPIES + place, JSON.stringify(copy));
    else localStorage.removeItem(COPIES + place);
  } catch {
    // without storage the words live as long as the page
  }
}

/** Forget what was typed on this page and is not saved. */
export function dropUnsaved() {
  for (const words of unsaved) {
    words.isDropped = true;
    keepCopy(words.keep, null);
  }
  unsaved.clear();
  readers.forEach((tell) => tell());
}

/**
 * A field whose text saves itself: after a pause, when it loses the focus and when it goes away; `value` is what
 * the server has. `onSave` gets the text and the revision of the draft that it was typed upon. What the server
 * does not have yet outlives the page in `keep`, the name of a place in this browser. While `held` nothing is
 * saved: the server only collects.
 */
export function SavedText({ lines, value, revision, held, keep, counted, onSave, ...rest }) {
  const format = useFormat();
  const [copy] = useState(() => (keep ? readCopy(keep) : null));
  const [text, setText] = useState(copy?.text ?? value);
  const words = useRef({ text, base: copy?.base ?? revision, last: value }).current;
  const isRefused = rest["aria-invalid"] === true;
  Object.assign(words, { value, revision, held, keep, onSave });
  if (words.text === value) words.base = revision;

  function flush() {
    clearTimeout(words.timer);
    const { sent, isDropped } = words;
    if (isDropped || words.text === words.value) return;
    if (sent?.text === words.text && (words.held || Date.now() - sent.at < AGAIN_MS)) return;
    words.sent = { text: words.text, at: Date.now() };
    words.onSave(words.text, words.base);
    words.timer = setTimeout(flush, AGAIN_MS);
  }

  function settle() {
    const isSaved = words.text === words.value;
    if (isSaved) {
      clearTimeout(words.timer);
      words.sent = null;
    }
    mark(words, !isSaved && !isRefused);
    keepCopy(words.keep, isSaved ? null : { text: words.text, base: words.base });
  }

  function type({ target }) {
    words.isDropped = false;
    words.text = target.value;
    setText(target.value);
    settle();
    clearTimeout(words.timer);
    words.timer = setTimeout(flush, PAUSE_MS);
  }

  useEffect(() => {
    if (words.text === words.last) {
      words.text = value;
      setText(value);
    }
    words.last = value;
    settle();
    if (isRefused) clearTimeout(words.timer); // it would be refused again
  }, [value, isRefused]);

  useEffect(() => {
    flush();
    window.addEventListener("pagehide", flush);
    return () => {
      window.removeEventListener("pagehide", flush);
      flush();
      clearTimeout(words.timer);
      mark(words, false);
    };
  }, []);

  const Field = lines ? "textarea" : "input";
  return (
    <>
      <Field {...rest} value={text} onChange={type} onBlur={flush} />
      {counted && <span className="help num">{counted.replace("{number}", format.number(text.length))}</span>}
    </>
  );
}

/** Says how the draft stands: `children` when all is saved. */
export function SaveState({ held, saving, unsaid, children }) {
  const isAway = useAway();
  const isBusy = useUnsaved();
  if (held || (isBusy && isAway)) return unsaid;
  return isBusy ? saving : children;
}

/** Write at the cursor of a field, in a way that can be undone. */
export function insertInto(id, words) {
  document.getElementById(id)?.focus();
  document.execCommand("insertText", false, words);
}

function placeOf(at) {
  const parts = at.split(".");
  for (let length = parts.length; length > 0; length -= 1) {
    const name = parts.slice(0, length).join(".");
    const found = document.querySelector(`[data-at="${CSS.escape(name)}"]`) ?? document.getElementById(name);
    if (found) return { found, isExact: length === parts.length };
  }
  return null;
}

function lead(place) {
  for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  place.scrollIntoView({ block: "center" });
  place.classList.add("ringed");
  setTimeout(() => place.classList.remove("ringed"), RING_MS);
  const control = "input, select, textarea, button, a[href], [tabindex]";
  (place.matches(control) ? place : place.querySelector(control))?.focus({ preventScroll: true });
}

/**
 * Calls `onReturn`, with whether there are unsaved words, when the page is looked at again and every while; leads
 * to the field `f` of the address: what has that as `data-at` or id, else what holds it.
 */
export function Watch({ onReturn }) {
  const look = useRef();
  look.current = () => document.visibilityState === "visible" && onReturn(unsaved.size > 0);
  useEffect(() => {
    const tell = () => look.current();
    const timer = setInterval(tell, LOOK_MS);
    window.addEventListener("focus", tell);
    document.addEventListener("visibilitychange", tell);
    return () => {
      clearInterval(timer);
      window.removeEventListener("focus", tell);
      document.removeEventListener("visibilitychange", tell);
    };
  }, []);

  const { key, search } = useLocation();
  useEffect(() => {
    const at = new URLSearchParams(search).get("f");
    if (!at) return undefined;
    const until = Date.now() + SEEK_MS;
    const timer = setInterval(() => {
      const place = placeOf(at);
      if (!place?.isExact && Date.now() < until) return;
      clearInterval(timer);
      if (place) lead(place.found);
    }, 120);
    return () => clearInterval(timer);
  }, [key]);
  return null;
}
