// The composer: a draft per conversation that survives reloads, files, Enter, Stop.
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { keyOf, useFormat, useT } from "$/public/i18n.js";

const MAX_FILES = 20;
const UNANSWERED_MS = 15_000;

const keyFor = (draftKey) => `draft:${draftKey}`;

function readDraft(draftKey) {
  try {
    const { text = "", files = [] } = JSON.parse(localStorage.getItem(keyFor(draftKey))) ?? {};
    return { text, files };
  } catch {
    return { text: "", files: [] };
  }
}

function keepDraft(draftKey, text, files) {
  if (!draftKey) return;
  const kept = files.filter((file) => file.id);
  try {
    if (text || kept.length) localStorage.setItem(keyFor(draftKey), JSON.stringify({ text, files: kept }));
    else localStorage.removeItem(keyFor(draftKey));
  } catch {
    // without storage the draft lives as long as the page
  }
}

/** The header that names the organization of the address, if it names one. */
function inOrganization() {
  const organization = new URLSearchParams(location.search).get("org");
  return organization ? { "X-Organization-Id": organization } : {};
}

/** Send one file; tells how far it is. Resolves to the stored file or throws its refusal. */
function upload(file, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const body = new FormData();
    body.append("file", file);
    request.open("POST", "/api/v1/files");
    for (const [name, value] of Object.entries(inOrganization())) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.onload = () => {
      let answer = {};
      try {
        answer = JSON.parse(request.responseText);
      } catch {
        // a proxy's own page
      }
      if (request.status === 201) resolve(answer);
      else reject(answer.error?.details?.fields?.[0]?.message ?? answer.error?.code ?? "unexpected");
    };
    request.onerror = () => reject("offline");
    request.send(body);
  });
}

export function Composer(props) {
  const { draftKey, able, busy, still, accepted, refused, onSend, onStop, labels, icons, children } = props;
  const t = useT();
  const format = useFormat();
  const [text, setText] = useState("");
  const [files, setFiles] = useState([]);
  const [sending, setSending] = useState(false);
  const [over, setOver] = useState(false);
  const area = useRef();
  const picker = useRef();
  const current = useRef({});
  const known = useRef(false);
  current.current = { text, files, draftKey };

  useEffect(() => {
    const { text: typed, files: chosen } = current.current;
    const draft = readDraft(draftKey);
    // What was written before the page knew its conversation belongs to it.
    if (known.current || !(typed || chosen.length)) {
      setText(draft.text);
      setFiles(draft.files);
    }
    known.current = known.current || Boolean(draftKey);
    setSending(false);
    if (!still && window.matchMedia("(hover: hover)").matches) area.current?.focus();
  }, [draftKey]);

  const proposed = new URLSearchParams(useLocation().search).get("ask");
  useEffect(() => {
    if (!proposed) return;
    setText(proposed);
    area.current.focus();
  }, [proposed]);

  useEffect(() => {
    const timer = setTimeout(() => keepDraft(draftKey, text, files), 200);
    return () => clearTimeout(timer);
  }, [text, files]);
  useEffect(() => {
    const keep = () => keepDraft(current.current.draftKey, current.current.text, current.current.files);
    window.addEventListener("pagehide", keep);
    return () => window.removeEventListener("pagehide", keep);
  }, []);

  const asked = useRef(null); // the counts when something was sent that was not answered yet
  useEffect(() => {
    if (!asked.current) return;
    if (accepted !== asked.current.accepted) {
      keepDraft(asked.current.draftKey, "", []);
      setText("");
      setFiles([]);
    } else if (refused === asked.current.refused) return;
    asked.current = null;
    setSending(false);
  }, [accepted, refused]);
  useEffect(() => {
    if (!sending) return undefined;
    const timer = setTimeout(() => setSending(false), UNANSWERED_MS);
    return () => clearTimeout(timer);
  }, [sending]);

  useLayoutEffect(() => {
    const field = area.current;
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight, window.innerHeight * 0.4)}px`;
  }, [text]);

  function change(key, values) {
    setFiles((all) => all.map((file) => (file.key === key ? { ...file, ...values } : file)));
  }

  function attach(list) {
    for (const file of [...list].slice(0, MAX_FILES - files.length)) {
      const key = `${Date.now()}-${Math.random()}`;
      setFiles((all) => [...all, { key, name: file.name, size_bytes: file.size, progress: 0 }]);
      upload(file, (progress) => change(key, { progress }))
        .then(({ id, name, size_bytes }) => change(key, { id, name, size_bytes, progress: 1 }))
        .catch((problem) => change(key, { problem: String(problem) }));
    }
  }

  function remove(file) {
    setFiles((all) => all.filter((other) => other.key !== file.key));
    if (file.id) fetch(`/api/v1/files/${file.id}`, { method: "DELETE", headers: inOrganization() }).catch(() => {});
    area.current.focus();
  }

  useEffect(() => {
    const holdsFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    const drag = (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setOver(event.type === "dragover");
    };
    const drop = (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setOver(false);
      attach(event.dataTransfer.files);
    };
    window.addEventListener("dragover", drag);
    window.addEventListener("dragleave", drag);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", drag);
      window.removeEventListener("dragleave", drag);
      window.removeEventListener("drop", drop);
    };
  });

  const uploading = files.some((file) => !file.id && !file.problem);
  const ready = able && text.trim() && !busy && !sending && !uploading;

  const [waits, setWaits] = useState(false); // asked for while files or the agent were on their way
  useEffect(() => {
    if (waits && ready) send();
  }, [waits, ready]);

  function send() {
    if (!ready) {
      setWaits(Boolean(text.trim()) && !busy && !sending);
      return;
    }
    setWaits(false);
    setSending(true);
    asked.current = { accepted, refused, draftKey };
    keepDraft(draftKey, text, files);
    onSend(text, files.filter((file) => file.id).map((file) => file.id));
  }

  function press(event) {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && busy) {
      event.preventDefault();
      onStop();
    }
  }

  function paste(event) {
    if (!event.clipboardData.files.length) return;
    event.preventDefault();
    attach(event.clipboardData.files);
  }

  return (
    <form
      className={over ? "comp over" : "comp"}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {files.length > 0 && (
        <ul className="atts">
          {files.map((file) => (
            <li key={file.key} className={file.problem ? "att bad" : "att"}>
              {file.problem ? icons.problem : icons.file}
              <span className="b cut">{file.name}</span>
              <span className="meta">
                {file.problem
                  ? t(keyOf("attach", file.problem))
                  : file.id
                    ? format.size(file.size_bytes)
                    : `${Math.round(file.progress * 100)} %`}
              </span>
              <button type="button" className="x" aria-label={`${labels.remove}: ${file.name}`} onClick={() => remove(file)}>
                {icons.remove}
              </button>
            </li>
          ))}
        </ul>
      )}
      <textarea
        ref={area}
        rows={1}
        className="ask"
        aria-label={labels.placeholder}
        placeholder={busy ? labels.working : labels.placeholder}
        value={text}
        maxLength={200_000}
        onChange={(event) => {
          setWaits(false);
          setText(event.target.value);
        }}
        onKeyDown={press}
        onPaste={paste}
      />
      <div className="row">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            attach(event.target.files);
            event.target.value = "";
          }}
        />
        <button type="button" className="btn q ic" aria-label={labels.attach} title={labels.attach} onClick={() => picker.current.click()}>
          {icons.attach}
        </button>
        {children}
        <span className="grow" />
        {busy ? (
          <button type="button" className="send stop" aria-label={labels.stop} title={labels.stop} onClick={() => onStop()}>
            <span className="stopsq" />
          </button>
        ) : (
          <button type="submit" className="send" aria-label={labels.send} title={labels.send} disabled={!ready}>
            {sending || waits ? <span className="spin" /> : icons.send}
          </button>
        )}
      </div>
    </form>
  );
}
