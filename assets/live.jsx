// What grows in the browser alone: a run's answer over its own socket, Markdown block by block, the thread's
// scrolling, a person's signals. How a part looks is decided in Python (`drawPart`).
import { createContext, Fragment, lazy, memo, Suspense, useEffect, useLayoutEffect, useRef, useState } from "react";

const QUIET_MS = 40_000; // the server speaks at least every 15 s
const MAX_WAIT_MS = 5_000;
const REFUSED = 4000; // close codes from here on are 4000 plus the HTTP status of a refusal
const FINAL = new Set([401, 403, 404, 409, 422]); // others, as 503, pass: come again

function socketTo(path) {
  const url = new URL(path, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const organization = new URLSearchParams(location.search).get("org");
  if (organization) url.searchParams.set("organization", organization);
  return new WebSocket(url);
}

/** Keep one socket open: again after a cut or a silence, later each time it fails. */
function keepOpen(pathOf, onFrame, onRefused) {
  let socket = null;
  let timer = null;
  let failures = 0;
  let over = false;

  function again(wait) {
    clearTimeout(timer);
    timer = setTimeout(connect, wait);
  }

  function connect() {
    if (over) return;
    socket?.close();
    const mine = (socket = socketTo(pathOf()));
    again(QUIET_MS);
    mine.onmessage = ({ data }) => {
      if (mine !== socket) return;
      failures = 0;
      again(QUIET_MS);
      onFrame(JSON.parse(data));
    };
    mine.onclose = ({ code }) => {
      if (mine !== socket || over) return;
      if (FINAL.has(code - REFUSED)) {
        stop();
        onRefused?.(code - REFUSED);
        return;
      }
      again(Math.min(MAX_WAIT_MS, 100 * 2 ** failures++) * (0.5 + Math.random() / 2));
    };
  }

  function stop() {
    over = true;
    clearTimeout(timer);
    const old = socket;
    socket = null;
    old?.close();
  }

  const wake = () => failures && connect();
  window.addEventListener("online", wake);
  connect();
  return {
    reconnect: connect,
    stop: () => {
      window.removeEventListener("online", wake);
      stop();
    },
  };
}

/** Follow a run until it ends; `show` gets all parts each time something came. Returns how to stop. */
export function followRun(runId, show, onEnd) {
  let parts = [];
  let cursor = 0; // the last event that `parts` includes; 0 asks for a snapshot
  let frame = null;

  const draw = () => {
    frame ??= requestAnimationFrame(() => {
      frame = null;
      show(parts);
    });
  };

  function put(part) {
    const said = part.text ?? ""; // fields that have their default are not sent
    const whole = part.kind === "tool" || part.kind === "data";
    const text = whole ? said : (parts[part.index]?.text ?? "") + said;
    parts = [...parts.slice(0, part.index), { done: false, ...part, text }, ...parts.slice(part.index + 1)];
  }

  function take(event) {
    if (event.type === "snapshot") parts = (event.parts ?? []).map((part) => ({ text: "", done: false, ...part }));
    else if (event.type === "part") put(event.part);
    else if (event.type === "text") {
      const last = parts.at(-1);
      parts = [...parts.slice(0, -1), { ...last, text: last.text + event.text }];
    }
    cursor = event.seq;
    draw();
  }

  const line = keepOpen(
    () => `/api/v1/runs/${runId}/stream?after=${cursor}`,
    (event) => {
      if (event.type === "idle") return;
      if (event.type === "end") {
        line.stop();
        cancelAnimationFrame(frame);
        show(parts);
        onEnd(event);
        return;
      }
      const fresh = event.type === "snapshot";
      if (!fresh && (event.first ?? event.seq) > cursor + 1) line.reconnect();
      else if (fresh || event.seq > cursor) take(event);
    },
    (status) => onEnd({ status: "refused", error: String(status) }),
  );
  return () => {
    line.stop();
    cancelAnimationFrame(frame);
  };
}

/** Which run an answer is of, for what its parts show. */
export const RunOfAnswer = createContext("");

// What was followed to its end, by run: a turn that moves to another list is drawn anew, with the same text.
const followed = new Map();

/** An answer: stored parts as they are given, otherwise the run's, growing or not. */
export function Answer({ runId, live, parts, drawPart, onEnd, label }) {
  const stored = parts?.length ? parts : null;
  const [grown, setGrown] = useState(() => followed.get(runId) ?? null);
  const [busy, setBusy] = useState(live);
  const end = useRef();
  end.current = onEnd;
  useEffect(() => void parser(), []);
  const follows = runId && (live || (!stored && !grown));
  useEffect(() => {
    if (!follows) return undefined;
    setBusy(live);
    let latest = [];
    const show = (parts) => setGrown((latest = parts));
    return followRun(runId, show, (event) => {
      setBusy(false);
      if (event.status !== "refused") followed.set(runId, latest);
      if (live) end.current?.(runId, event.status);
    });
  }, [runId, Boolean(follows)]);
  const shown = grown ?? stored ?? [];
  return (
    <div className="parts" role="log" aria-live="polite" aria-busy={busy} aria-label={label} data-run={runId}>
      <RunOfAnswer.Provider value={runId}>
        {shown.map((part) => (
          <Part key={part.index} part={part} draw={drawPart} />
        ))}
      </RunOfAnswer.Provider>
      {busy && <span className="caret" aria-hidden="true" />}
    </div>
  );
}

const Part = memo(
  ({ part, draw }) => <Fragment>{draw(part)}</Fragment>,
  (before, after) => before.part === after.part,
);

/** Cut Markdown into blocks that can be drawn apart; a fence or a list is never cut. */
export function splitBlocks(text) {
  const blocks = [];
  let block = "";
  let fence = "";
  let blank = false;
  for (const line of text.split(/(?<=\n)/)) {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    const listed = /^(\s|[-*+] |\d+[.)] )/;
    if (blank && !fence && line.trim() && !(listed.test(block) && listed.test(line))) {
      blocks.push(block);
      block = "";
    }
    if (mark && !fence) fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = "";
    block += line;
    blank = !line.trim();
  }
  if (block.trim()) blocks.push(block);
  return blocks;
}

// The parser is a sixth of the page's scripts: it comes behind the page, before the first answer needs it.
const parser = () =>
  import("$/app_components/components/live/prose").then((module) => ({
    default: Object.values(module).find((one) => one.$$typeof),
  }));
const Block = memo(lazy(parser));

const watched = new Map();
let watcher = null;
/** One observer for all prose of the page that is still out of sight. */
function whenNear(place, seen) {
  watcher ??= new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) watched.get(target)?.();
    },
    { rootMargin: "600px" },
  );
  watched.set(place, seen);
  watcher.observe(place);
  return () => {
    watched.delete(place);
    watcher.unobserve(place);
  };
}

/** A link of an answer, in a tab of its own; what leads nowhere safe stays text. */
export function OutLink({ href, children }) {
  if (!/^(https?|mailto):/i.test(href ?? "")) return children;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** An image of an answer is only named: a foreign server shall not learn who reads. */
export function ImageLink({ src, alt }) {
  return <OutLink href={src}>{alt || src}</OutLink>;
}

const drawn = new Set(); // whole texts that were parsed once: drawn anew elsewhere, they are not plain again

/** Markdown; with `lazy`, plain text until it comes near the window: parsing is what costs. */
export function Prose({ text, lazy }) {
  const [near, setNear] = useState(!lazy || drawn.has(text));
  const place = useRef();
  useEffect(() => (near ? undefined : whenNear(place.current, () => setNear(true))), [near]);
  useEffect(() => void (lazy && near && drawn.add(text)), [lazy, near, text]);
  const plain = (
    <div ref={place} className="plain">
      {text}
    </div>
  );
  if (!near) return plain;
  return (
    <Suspense fallback={plain}>
      {splitBlocks(text).map((block, index) => (
        <Block key={index} text={block} />
      ))}
    </Suspense>
  );
}

/** Milliseconds since a time, each second; 0 when the clock shall stand. */
export function useElapsed(since) {
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (!since) return undefined;
    const tick = () => setNow(Date.now());
    tick();
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [since]);
  const began = Date.parse(String(since).replace(" ", "T"));
  return since && now ? Math.max(1000, Math.floor((now - began) / 1000) * 1000) : 1000;
}

const NEAR_END_PX = 80;
const NEAR_TOP_PX = 200;

/** The scrolling thread: stays at the end while the person is there, asks for earlier turns at the top. */
export function Thread({ thread, count, hasEarlier, onEarlier, latest, children }) {
  const box = useRef();
  const inner = useRef();
  const atEnd = useRef(true);
  const height = useRef(0);
  const top = useRef(0);
  const asked = useRef(false);
  const [away, setAway] = useState(false);
  const toEnd = () => {
    box.current.scrollTop = box.current.scrollHeight;
  };
  useLayoutEffect(() => {
    atEnd.current = true;
    setAway(false);
    toEnd();
  }, [thread]);
  useLayoutEffect(() => {
    asked.current = false;
  }, [count, hasEarlier]);
  useEffect(() => {
    const grow = new ResizeObserver(() => {
      if (atEnd.current) toEnd();
      height.current = box.current.scrollHeight;
    });
    grow.observe(inner.current);
    return () => grow.disconnect();
  }, []);
  function scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    const isNear = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    // Not near without having gone up: something large was added meanwhile, and is followed.
    if (isNear || scrollTop < top.current) atEnd.current = isNear;
    top.current = scrollTop;
    setAway(!atEnd.current);
    if (hasEarlier && !asked.current && scrollTop < NEAR_TOP_PX) {
      asked.current = true;
      onEarlier?.();
    }
  }
  return (
    <div className="thread">
      <div className="scroll tscroll" ref={box} onScroll={scrolled} tabIndex={-1}>
        <div className="turns" ref={inner}>
          {children}
        </div>
      </div>
      {away && (
        <button type="button" className="btn sm to-end" onClick={toEnd}>
          {latest}
        </button>
      )}
    </div>
  );
}

/** Hears what happens to the person's conversations, in this tab or elsewhere. */
export function Signals({ onSignal }) {
  const heard = useRef();
  heard.current = onSignal;
  useEffect(() => {
    let cut = false; // what happened while the line was down has to be looked up
    const line = keepOpen(
      () => "/api/v1/events",
      (signal) => {
        if (signal.kind === "listening") {
          if (cut) heard.current?.("missed", "", "");
          cut = true;
        } else if (signal.kind !== "idle") heard.current?.(signal.kind, signal.conversation_id ?? "", signal.run_id ?? "");
      },
      (status) => status === 401 && location.reload(),
    );
    return line.stop;
  }, []);
  return null;
}
