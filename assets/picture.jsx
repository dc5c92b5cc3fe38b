// A picture goes over HTTP, because bytes have no place in events.
import { useRef, useState } from "react";

const KINDS = "image/png,image/jpeg,image/webp,image/gif";
const LIMIT_BYTES = 2 * 1024 * 1024;

/** The problem's code: of the field when the server names one, else of the refusal. */
async function problemOf(answer) {
  try {
    const { code, details } = (await answer.json()).error;
    return details.fields?.[0]?.message ?? code;
  } catch {
    return "unknown";
  }
}

/** Sends a chosen picture to the address, which takes it by PUT as `file`. */
export function PicturePicker({ address, className, onSaved, onRefused, children }) {
  const input = useRef();
  const [busy, setBusy] = useState(false);

  async function send(file) {
    if (file.size > LIMIT_BYTES) return onRefused("too_large");
    const body = new FormData();
    body.append("file", file);
    setBusy(true);
    try {
      const answer = await fetch(address, { method: "PUT", body });
      return answer.ok ? onSaved() : onRefused(await problemOf(answer));
    } catch {
      return onRefused("offline");
    } finally {
      setBusy(false);
    }
  }

  function pick({ target }) {
    const [file] = target.files;
    target.value = ""; // the same file may be chosen again
    if (file) send(file);
  }

  return (
    <>
      <input ref={input} type="file" accept={KINDS} hidden onChange={pick} />
      <button
        type="button"
        className={className}
        aria-busy={busy}
        aria-disabled={busy}
        onClick={() => busy || input.current.click()}
      >
        {busy && <span className="spin" aria-hidden="true" />}
        {children}
      </button>
    </>
  );
}
