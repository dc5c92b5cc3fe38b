// What the widgets do in the browser alone. How they look is decided in Python and kit.css.
import * as Dialog from "@radix-ui/react-dialog";
import * as Tooltip from "@radix-ui/react-tooltip";
import { Suspense, lazy, useContext, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Link, useLocation } from "react-router";
import { EventLoopContext } from "$/utils/context-registry";

const AWAY_MS = 2_000;
const SKELETON_MS = 150;
const COPIED_MS = 1_500;

/** A value that several components of the page share. */
function shared(first) {
  let value = first;
  const readers = new Set();
  return {
    get: () => value,
    set: (next) => {
      value = next;
      readers.forEach((tell) => tell());
    },
    use: () =>
      useSyncExternalStore(
        (tell) => {
          readers.add(tell);
          return () => readers.delete(tell);
        },
        () => value,
        () => first,
      ),
  };
}

const panel = shared(""); // "palette", "shortcuts", "menu" (the sidebar on phones) or nothing
export const openPanel = panel.set;
export const closePanel = () => panel.set("");

function usePanel(name) {
  const open = panel.use() === name;
  const place = useLocation();
  useEffect(closePanel, [place.key]);
  return { open, onOpenChange: (next) => panel.set(next ? name : "") };
}

/** The address with the organization that the page's own address names. */
export function inOrganization(address, search) {
  const organization = new URLSearchParams(search).get("org");
  if (!organization || /[?&]org=/.test(address)) return address;
  return `${address}${address.includes("?") ? "&" : "?"}org=${encodeURIComponent(organization)}`;
}

export function PageLink({ to, ...rest }) {
  return <Link to={inOrganization(to, useLocation().search)} {...rest} />;
}

/** The dialog of a panel: open while its name is asked for, closed by the next page. */
export function PanelRoot({ name, children }) {
  return <Dialog.Root {...usePanel(name)}>{children}</Dialog.Root>;
}

/**
 * Remembers what had the focus before the dialog around it took it. A field that takes the focus as it mounts
 * does so before the dialog listens, which is told here: else a menu that closes late takes it away for good.
 */
function Origin({ into }) {
  const [origin] = useState(() => document.activeElement);
  useEffect(() => {
    into.current = origin;
    queueMicrotask(() => document.activeElement?.dispatchEvent(new FocusEvent("focusin", { bubbles: true })));
  }, [into, origin]);
  return null;
}

/** What a dialog holds. Dialogs are opened by handlers, so the focus finds its way back by itself. */
export function DialogBody({ children, ...rest }) {
  const origin = useRef(null);
  function giveBack(event) {
    event.preventDefault();
    (origin.current?.isConnected ? origin.current : document.getElementById("content"))?.focus();
  }
  return (
    <Dialog.Content {...rest} onCloseAutoFocus={giveBack}>
      <Origin into={origin} />
      {children}
    </Dialog.Content>
  );
}

const isTyping = ({ target }) =>
  target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);

/** Keys that work on every page of the frame. */
export function Shortcuts() {
  useEffect(() => {
    function press(event) {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        panel.set(panel.get() === "palette" ? "" : "palette");
      } else if (event.key === "?" && !isTyping(event) && panel.get() === "") {
        event.preventDefault();
        panel.set("shortcuts");
      } else if ((event.metaKey || event.ctrlKey) && event.key === "Enter") {
        const form = event.target.form;
        if (form?.dataset.saves) form.requestSubmit();
      }
    }
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
  return null;
}

/** The name of the key that goes with others, as this computer writes it. */
export function useCommandKey() {
  const [key, setKey] = useState("Ctrl ");
  useEffect(() => {
    if (/Mac|iPhone|iPad/.test(navigator.platform)) setKey("⌘");
  }, []);
  return key;
}

const Palette = lazy(() => import("./palette.jsx"));

export function PaletteHost(props) {
  const state = usePanel("palette");
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    if (state.open) setAsked(true);
  }, [state.open]);
  if (!asked) return null;
  return (
    <Suspense fallback={null}>
      <Palette {...props} {...state} />
    </Suspense>
  );
}

/** True once the socket to the server has been away for a while. */
export function useAway() {
  const [, problems] = useContext(EventLoopContext);
  const lost = problems.length > 0;
  const [away, setAway] = useState(false);
  useEffect(() => {
    if (!lost) {
      setAway(false);
      return undefined;
    }
    const timer = setTimeout(() => setAway(true), AWAY_MS);
    return () => clearTimeout(timer);
  }, [lost]);
  return away;
}

/** True when the server has another version than this page: a part is missing, or Reflex says so. */
export function useStale() {
  const [stale, setStale] = useState(false);
  useEffect(() => {
    const tell = () => setStale(true);
    const look = () => document.getElementById("reflex-new-version-banner") && tell();
    const watch = new MutationObserver(look);
    watch.observe(document.body, { childList: true });
    look();
    window.addEventListener("vite:preloadError", tell);
    return () => {
      watch.disconnect();
      window.removeEventListener("vite:preloadError", tell);
    };
  }, []);
  return stale;
}

const SIDEBAR = "sidebar"; // components/layout/head.py reads it before the first paint
const NARROW = "narrow";
const narrow = shared(false);

function fold(on) {
  document.documentElement.classList.toggle(NARROW, on);
  narrow.set(on);
}

export function SideToggle({ label, className, children }) {
  const folded = narrow.use();
  useEffect(() => fold(localStorage.getItem(SIDEBAR) === NARROW), []);
  function toggle() {
    localStorage.setItem(SIDEBAR, folded ? "" : NARROW);
    fold(!folded);
  }
  return (
    <button type="button" className={className} aria-label={label} aria-expanded={!folded} onClick={toggle}>
      {children}
    </button>
  );
}

/** Sign out over HTTP, because that clears the cookie, then load the page anew. */
/** Leave nothing of the person to whoever uses this browser next. */
export function forgetPerson() {
  sessionStorage.clear();
  for (const key of Object.keys(localStorage)) if (key.startsWith("draft:")) localStorage.removeItem(key);
}

export async function signOut() {
  await fetch("/api/v1/auth/sign-out", { method: "POST" });
  forgetPerson();
  location.assign("/sign-in");
}

export function Tip({ text, side = "top", children }) {
  return (
    <Tooltip.Provider delayDuration={400} skipDelayDuration={200}>
      <Tooltip.Root>
        <Tooltip.Trigger asChild>
          <span className="tip-on">{children}</span>
        </Tooltip.Trigger>
        <Tooltip.Portal>
          <Tooltip.Content className="tip" side={side} sideOffset={6} collisionPadding={8}>
            {text}
          </Tooltip.Content>
        </Tooltip.Portal>
      </Tooltip.Root>
    </Tooltip.Provider>
  );
}

/** A button that says why it does nothing; it stays reachable by keyboard. */
export function ReasonedButton({ disabled, reason, onClick, children, ...rest }) {
  const button = (
    <button
      {...rest}
      aria-disabled={disabled || undefined}
      onClick={disabled ? (event) => event.preventDefault() : onClick}
    >
      {children}
    </button>
  );
  return disabled ? <Tip text={reason}>{button}</Tip> : button;
}

export function CopyButton({ text, label, done, className, children }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <button
      type="button"
      className={className}
      onClick={() => navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      {children}
      <span aria-live="polite">{copied ? done : label}</span>
    </button>
  );
}

/** Nothing at first: what comes at once needs no placeholder. */
export function Delayed({ children }) {
  const [due, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), SKELETON_MS);
    return () => clearTimeout(timer);
  }, []);
  return due ? children : null;
}

/** A submit button of a form with several: it names itself in the form's field `intent`. */
export function SubmitAs({ intent, children, ...rest }) {
  return (
    <button
      {...rest}
      type="submit"
      onClick={({ currentTarget }) => (currentTarget.form.elements.intent.value = intent)}
    >
      {children}
    </button>
  );
}

/** Calls `onTold` once for each value that is not empty. */
export function Told({ value, onTold }) {
  useEffect(() => {
    if (value) onTold(value);
  }, [value]);
  return null;
}

/** Puts the text of a chosen file into the field `target`; it goes nowhere before the form is sent. */
export function FileText({ target, accept, limitBytes, className, children }) {
  const input = useRef();

  async function pick({ target: chooser }) {
    const [file] = chooser.files;
    chooser.value = ""; // the same file may be chosen again
    const field = document.getElementById(target);
    if (!file || !field) return;
    field.value = await file.slice(0, limitBytes).text();
    field.focus();
  }

  return (
    <>
      <input ref={input} type="file" accept={accept} hidden onChange={pick} />
      <button type="button" className={className} onClick={() => input.current.click()}>
        {children}
      </button>
    </>
  );
}
