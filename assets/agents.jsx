// Files of agents go over HTTP: they may be larger than what an event carries.
import { useRef, useState } from "react";

const LIMIT_BYTES = 1_000_000;

/** What was refused, as code, field and problem. */
async function refusalOf(answer) {
  try {
    const { code, details } = (await answer.json()).error;
    const [first] = details.fields ?? [];
    return [code, first?.field ?? details.field ?? "", first?.message ?? details.problem ?? details.reason ?? ""];
  } catch {
    return ["unknown", "", ""];
  }
}

/** Sends the chosen file and the name; the children have the fields `file` and `name`. */
export function ImportForm({ organization, visibility, className, onMade, onRefused, children }) {
  const busy = useRef(false);

  async function send({ file, name }) {
    if (!file?.name) return onRefused("missing", "", "");
    if (file.size > LIMIT_BYTES) return onRefused("too_large", "", "");
    try {
      const answer = await fetch(`/api/v1/agents/import?organization=${encodeURIComponent(organization)}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name, visibility, document: await file.text() }),
      });
      return answer.ok ? onMade((await answer.json()).id) : onRefused(...(await refusalOf(answer)));
    } catch {
      return onRefused("offline", "", "");
    }
  }

  async function submit(event) {
    event.preventDefault();
    if (busy.current) return;
    busy.current = true;
    await send(Object.fromEntries(new FormData(event.target)));
    busy.current = false;
  }

  return (
    <form noValidate data-saves="true" className={className} onSubmit={submit}>
      {children}
    </form>
  );
}

/** `claims-desk-v3.yaml` is called "Claims desk". */
function nameOf(file) {
  const words = file.name.replace(/\.\w+$/, "").replace(/-(draft|v\d+)$/, "").replace(/[-_]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A place to drop a file on or to choose one; the field with the id `names` is named after it. */
export function FileDrop({ names, children }) {
  const input = useRef();
  const given = useRef("");
  const [chosen, setChosen] = useState("");
  const [over, setOver] = useState(false);

  function take() {
    const [file] = input.current.files;
    setChosen(file?.name ?? "");
    const field = document.getElementById(names);
    if (file && field && (!field.value || field.value === given.current)) {
      field.value = given.current = nameOf(file);
    }
  }

  function drop(event) {
    event.preventDefault();
    setOver(false);
    if (!event.dataTransfer.files.length) return;
    input.current.files = event.dataTransfer.files;
    take();
  }

  return (
    <label
      className={over ? "file-drop over" : "file-drop"}
      onDragOver={(event) => (event.preventDefault(), setOver(true))}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <input ref={input} type="file" name="file" accept=".yaml,.yml,application/yaml" onChange={take} />
      {children}
      {chosen && <span className="chosen cut">{chosen}</span>}
    </label>
  );
}
