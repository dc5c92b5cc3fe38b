// A file's text, and a word to whoever opened a dialog.
import { useEffect, useRef } from "react";

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

/** Calls `onTold` once for each value that is not empty. */
export function Told({ value, onTold }) {
  useEffect(() => {
    if (value) onTold(value);
  }, [value]);
  return null;
}
