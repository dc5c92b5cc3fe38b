// A form that posts JSON and then loads a page: only an HTTP answer can set the session's cookie.
// What was typed stays; the problems that come back stand beside their fields.
import { createContext, useContext, useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import { keyOf, useT } from "./i18n.js";

const Form = createContext({ busy: false, problems: {}, failure: null });

/** Only a path of this origin; an address from outside would make the sign-in page a springboard. */
function within(address) {
  if (!URL.canParse(address, location.origin)) return null;
  const found = new URL(address, location.origin);
  return found.origin === location.origin ? found.pathname + found.search + found.hash : null;
}

/** Ask the server; answers `{ failure }` in the API's error envelope when it refuses. */
async function post(action, body) {
  let answer;
  try {
    answer = await fetch(action, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    return { failure: { code: "offline", details: {} } };
  }
  if (answer.ok) return {};
  try {
    return { failure: (await answer.json()).error };
  } catch {
    return { failure: { code: "unknown", details: {} } };
  }
}

/**
 * `to` is the page after success (`?next=` of the address wins), `fromAddress` names values that the
 * address holds, `blame` puts a failure beside a field: `{ wrong_credentials: "password" }`, `says` has the
 * form's own sentence for a code, or for `code.reason` of a conflict.
 */
export function JsonForm({ action, to, fromAddress = [], blame = {}, says = {}, children, className }) {
  const [view, setView] = useState({ busy: false, problems: {}, failure: null });
  const form = useRef();

  useEffect(() => {
    if (!view.busy) form.current.querySelector("[aria-invalid=true]")?.focus();
  }, [view]);

  async function submit(event) {
    event.preventDefault();
    if (view.busy) return;
    setView({ busy: true, problems: {}, failure: null });
    const address = new URLSearchParams(location.search);
    const body = Object.fromEntries(new FormData(form.current));
    for (const name of fromAddress) body[name] = address.get(name) ?? "";
    const { failure } = await post(action, body);
    if (!failure) {
      sessionStorage.clear(); // what the page before showed may be another person's
      location.assign(within(address.get("next") ?? to) ?? to);
      return;
    }
    const fields = failure.details?.fields ?? [];
    const problems = Object.fromEntries(fields.map(({ field, message }) => [field, message]));
    const named = [...form.current.elements].some(({ name }) => name && name in problems);
    setView({ busy: false, problems, failure: named ? null : failure, beside: blame[failure.code] });
  }

  return (
    <form ref={form} onSubmit={submit} className={className} noValidate>
      <Form.Provider value={{ ...view, says }}>{children}</Form.Provider>
    </form>
  );
}

function Alert() {
  return (
    <svg className="i" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M8 2.5l6 10.75H2zM8 6.5v3M8 11.4h.01" />
    </svg>
  );
}

function failureText(t, { code, details }, says) {
  return says[`${code}.${details?.reason}`] ?? says[code] ?? t(keyOf("error", code), details);
}

/** What went wrong with the form as a whole. */
export function FormFailure() {
  const { failure, beside, says } = useContext(Form);
  const t = useT();
  if (!failure || beside) return null;
  return (
    <div className="note red" role="alert">
      <Alert />
      <span>{failureText(t, failure, says)}</span>
    </div>
  );
}

/** A labelled input with its help and its problem; `show` and `hide` label the switch of a password. */
export function FormField({ name, label, help, type = "text", show, hide, ...input }) {
  const { problems, failure, beside, says } = useContext(Form);
  const t = useT();
  const id = useId();
  const [visible, setVisible] = useState(false);
  let problem = problems[name] && t(keyOf("error.field", problems[name]));
  if (beside === name && failure) problem = failureText(t, failure, says);
  const described = [problem && `${id}-problem`, help && `${id}-help`].filter(Boolean).join(" ");
  return (
    <div className="f">
      <label htmlFor={id}>{label}</label>
      <div className="in-row">
        <input
          {...input}
          id={id}
          name={name}
          type={visible ? "text" : type}
          className={problem ? "in bad" : "in"}
          aria-invalid={problem ? true : undefined}
          aria-describedby={described || undefined}
        />
        {show && (
          <button type="button" className="in-end" aria-pressed={visible} onClick={() => setVisible(!visible)}>
            {visible ? hide : show}
          </button>
        )}
      </div>
      {problem && (
        <span className="err" id={`${id}-problem`} role="alert">
          <Alert />
          <span>{problem}</span>
        </span>
      )}
      {help && (
        <span className="help" id={`${id}-help`}>
          {help}
        </span>
      )}
    </div>
  );
}

export function SubmitButton({ children }) {
  const { busy } = useContext(Form);
  return (
    <button type="submit" className="btn pri" aria-disabled={busy} aria-busy={busy}>
      {busy && <span className="spin" aria-hidden="true" />}
      {children}
    </button>
  );
}

const UNANSWERED = { ready: false, domains: [] };
let rule = UNANSWERED;
let asking = null;
const waiting = new Set();

/** Ask once for all parts of the page: one of its own each would show them answers at different times. */
function whenAnswered(tell) {
  waiting.add(tell);
  asking ??= fetch("/api/v1/auth/rule")
    .then((response) => response.json())
    .then((found) => {
      rule = { ready: true, ...found };
      for (const one of waiting) one();
    })
    .catch(() => (asking = null)); // the page works without it
  return () => waiting.delete(tell);
}

/** Who may sign up here, as the server says; `ready` once it has answered. */
export function useSignUpRule() {
  return useSyncExternalStore(
    whenAnswered,
    () => rule,
    () => UNANSWERED,
  );
}

export function useHost() {
  const [host, setHost] = useState("");
  useEffect(() => setHost(location.host), []);
  return host;
}
