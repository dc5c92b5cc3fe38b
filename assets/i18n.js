// Texts, figures and times in the language of the page. Switching needs neither server nor navigation.
import i18next from "i18next";
import { useEffect, useSyncExternalStore } from "react";
import { initReactI18next, useTranslation } from "react-i18next";
import en from "./locales/en.json";

const KEY = "language";
const SOURCE = "en"; // the pages are prerendered in it: the first render must agree with them
const OTHERS = { pl: () => import("./locales/pl.json") };
const UNKNOWN = "–";

i18next.use(initReactI18next).init({
  lng: SOURCE,
  fallbackLng: SOURCE,
  resources: { [SOURCE]: { translation: en } },
  interpolation: { escapeValue: false }, // React escapes
  react: { useSuspense: false },
  showSupportNotice: false,
});

async function show(language) {
  const root = document.documentElement;
  try {
    if (OTHERS[language] && !i18next.hasResourceBundle(language, "translation")) {
      const { default: texts } = await OTHERS[language]();
      i18next.addResourceBundle(language, "translation", texts);
    }
    await i18next.changeLanguage(language);
    root.lang = language;
  } catch (error) {
    root.lang = i18next.language;
    throw error;
  } finally {
    root.classList.remove("untranslated");
  }
}

export function chooseLanguage(language) {
  localStorage.setItem(KEY, language);
  return show(language);
}

/** The language chosen here, else the browser's; as components/layout/head.py before the first paint. */
function wanted() {
  const names = [localStorage.getItem(KEY), ...navigator.languages.map((name) => name.slice(0, 2))];
  return names.find((name) => name === SOURCE || name in OTHERS) ?? SOURCE;
}

let begun = false;
function begin() {
  if (begun) return;
  begun = true;
  show(wanted());
  window.addEventListener("storage", ({ key, newValue }) => {
    if (key === KEY && newValue) show(newValue);
  });
}

export function useT() {
  const { t } = useTranslation();
  useEffect(begin, []);
  return t;
}

export function useLanguage() {
  useTranslation();
  useEffect(begin, []);
  return i18next.language;
}

/** The key of a text that is chosen at run time; the area's `unknown` when there is none. */
export function keyOf(area, name) {
  const key = `${area}.${String(name).toLowerCase()}`;
  return i18next.exists(key, { count: 1 }) ? key : `${area}.unknown`;
}

const never = () => () => {};

/** False while the prerendered page is taken over: it knows neither region nor zone. */
function useIsLive() {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

export function useFormat() {
  const formats = formatsOf(useLanguage());
  return useIsLive() ? formats : PRERENDERED;
}

const made = new Map();
function formatsOf(language) {
  if (!made.has(language)) made.set(language, makeFormats(language));
  return made.get(language);
}

/** Reflex writes times with a space, which not every browser reads. */
function timeOf(value) {
  return value instanceof Date ? value : new Date(String(value).replace(" ", "T"));
}

function daysAgo(time) {
  const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());
  return Math.round((midnight(new Date()) - midnight(time)) / 86_400_000);
}

/** The language as the browser's region writes it: `en-GB` has another clock than `en-US`. */
function regional(language) {
  return globalThis.navigator?.languages?.find((name) => name.slice(0, 2) === language) ?? language;
}

/** Making a format takes a browser milliseconds: done when the first value comes. */
function lazily(make) {
  let made;
  return (...values) => (made ??= make())(...values);
}

function makeFormats(name) {
  const language = regional(name);
  const figure = (options) => lazily(() => new Intl.NumberFormat(language, options).format);
  const date = (options) => lazily(() => new Intl.DateTimeFormat(language, options).format);
  const known = (format) => (value) =>
    value === null || value === undefined || value === "" ? UNKNOWN : format(value);

  const plain = figure({ maximumFractionDigits: 2 });
  const short = figure({ notation: "compact", maximumFractionDigits: 1 });
  const dollars = figure({ style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" });
  const cents = figure({
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: 4,
  });
  const clock = date({ hour: "numeric", minute: "2-digit" });
  const dayAndClock = date({ day: "numeric", month: "short", hour: "numeric", minute: "2-digit" });
  const fullDay = date({ day: "numeric", month: "short", year: "numeric" });
  const everything = date({ dateStyle: "full", timeStyle: "long" });
  const weekday = date({ weekday: "long" });
  const dayAndMonth = date({ day: "numeric", month: "long" });
  const dayMonthYear = date({ day: "numeric", month: "long", year: "numeric" });
  const relative = lazily(() => {
    const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
    return (days) => capital(format.format(days, "day"));
  });
  const capital = (text) => text.charAt(0).toLocaleUpperCase(language) + text.slice(1);

  function when(value) {
    const time = timeOf(value);
    const ago = daysAgo(time);
    if (ago === 0) return clock(time);
    if (ago === 1) return `${relative(-1)}, ${clock(time)}`;
    return time.getFullYear() === new Date().getFullYear() ? dayAndClock(time) : fullDay(time);
  }

  function day(value) {
    const time = timeOf(value);
    const ago = daysAgo(time);
    if (ago === 0 || ago === 1) return relative(-ago);
    if (ago > 1 && ago < 7) return capital(weekday(time));
    return time.getFullYear() === new Date().getFullYear() ? dayAndMonth(time) : dayMonthYear(time);
  }

  function size(bytes) {
    const units = ["B", "KB", "MB", "GB", "TB"];
    let step = 0;
    let left = bytes;
    for (; left >= 1000 && step < units.length - 1; step += 1) left /= 1000;
    return `${figure({ maximumFractionDigits: left < 10 && step > 1 ? 1 : 0 })(left)} ${units[step]}`;
  }

  function duration(milliseconds) {
    if (milliseconds < 1000) return `${plain(Math.round(milliseconds))} ms`;
    const seconds = milliseconds / 1000;
    if (seconds < 10) return `${figure({ maximumFractionDigits: 1 })(seconds)} s`;
    const whole = Math.round(seconds);
    if (whole < 60) return `${whole} s`;
    if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
    return `${plain(Math.floor(whole / 3600))} h ${Math.floor((whole % 3600) / 60)} min`;
  }

  return {
    number: known(plain),
    compact: known((value) => short(value).replace("K", "k")),
    money: known((amount) => (Math.abs(amount) < 1 ? cents : dollars)(Number(amount))),
    size: known(size),
    duration: known(duration),
    when: known(when),
    exact: known((value) => everything(timeOf(value))),
    day: known(day),
  };
}

const PRERENDERED = Object.fromEntries(Object.keys(makeFormats(SOURCE)).map((kind) => [kind, () => ""]));
