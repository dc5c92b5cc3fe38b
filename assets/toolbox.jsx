// What the Toolbox needs of a browser: fields that save themselves, and a column that is a sheet on phones.
import * as Dialog from "@radix-ui/react-dialog";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useLocation } from "react-router";

const PAUSE_MS = 400;
const NARROW = "(max-width: 900px)";

/** A field that says what was typed after a pause, on Enter and when it is left. */
export function Typed({ value, lines, onTyped, ...rest }) {
  const [text, setText] = useState(value);
  const field = useRef();
  const told = useRef(value);
  const pending = useRef(null); // what was typed and not told yet
  const timer = useRef();
  const tell = useRef();
  tell.current = () => {
    clearTimeout(timer.current);
    const next = pending.current;
    pending.current = null;
    if (next === null || next === told.current) return;
    told.current = next;
    onTyped(next);
  };

  useEffect(() => {
    told.current = value;
    // While somebody types, what comes back is older than what they see.
    if (document.activeElement !== field.current && pending.current === null) setText(value);
  }, [value]);
  useEffect(() => () => tell.current(), []);

  function change({ target }) {
    setText(target.value);
    pending.current = target.value;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => tell.current(), PAUSE_MS);
  }

  function leave() {
    if (pending.current !== null) tell.current();
    else if (told.current === value) setText(value);
  }

  const Field = lines ? "textarea" : "input";
  const enter = (event) => event.key === "Enter" && tell.current();
  return (
    <Field
      {...rest}
      ref={field}
      value={text}
      onChange={change}
      onBlur={leave}
      onKeyDown={lines ? undefined : enter}
      rows={lines ? Math.min(12, Math.max(3, text.split("\n").length)) : undefined}
    />
  );
}

function zones() {
  return Intl.supportedValuesOf ? ["UTC", ...Intl.supportedValuesOf("timeZone")] : ["UTC"];
}

/** The time zones that the browser knows, for a field to suggest. */
export function ZoneList({ id }) {
  const [names, setNames] = useState([]);
  useEffect(() => setNames(zones()), []);
  return (
    <datalist id={id}>
      {names.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}

function useNarrow() {
  return useSyncExternalStore(
    (tell) => {
      const query = matchMedia(NARROW);
      query.addEventListener("change", tell);
      return () => query.removeEventListener("change", tell);
    },
    () => matchMedia(NARROW).matches,
    () => false,
  );
}

/** The column beside the list; Escape leads back to where it was opened from. */
function Column({ name, label, onClose, children }) {
  const column = useRef();
  const origin = useRef(null);
  useEffect(() => {
    if (!column.current.contains(document.activeElement)) origin.current = document.activeElement;
    column.current.focus();
  }, [name]);
  useEffect(() => () => origin.current?.isConnected && origin.current.focus(), []);

  function press(event) {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    onClose();
  }

  return (
    <aside ref={column} className="tb-column" aria-label={label} tabIndex={-1} onKeyDown={press}>
      {children}
    </aside>
  );
}

function Sheet({ label, onClose, children }) {
  return (
    <Dialog.Root open onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="scrim" />
        <Dialog.Content className="tb-sheet" aria-describedby={undefined}>
          <Dialog.Title className="vh">{label}</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

export function Drawer(props) {
  return useNarrow() ? <Sheet {...props} /> : <Column {...props} />;
}

/** Tells which place of the draft the address leads to, each time that it does. */
export function Sought({ onSought }) {
  const { key, search } = useLocation();
  useEffect(() => {
    const at = new URLSearchParams(search).get("f");
    if (at) onSought(at);
  }, [key]);
  return null;
}
