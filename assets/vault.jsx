// What the vault needs of a browser: the text of a file.
import { useRef } from "react";

const LIMIT_BYTES = 64 * 1024;

/** Puts the text of a chosen file into the field `target`; it goes nowhere before the form is sent. */
export function FileText({ target, accept, className, children }) {
  const input = useRef();

  async function pick({ target: chooser }) {
    const [file] = chooser.files;
    chooser.value = ""; // the same file may be chosen again
    const field = document.getElementById(target);
    if (!file || !field) return;
    field.value = await file.slice(0, LIMIT_BYTES).text();
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
