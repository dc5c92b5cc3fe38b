// Cards of steps: what a chart does in the browser. What draws it is a script of its own, fetched with the first one.
import { ChartColumn, Download, Table2 } from "lucide-react";
import { lazy, Suspense, useContext, useState } from "react";
import { RunOfAnswer } from "./live.jsx";

const Drawing = lazy(() => import("./chart.jsx").catch(() => ({ default: Numbers }))); // no line: the numbers are here

/** Figures in the language of the page, with the digits that matter. */
export function figures(language) {
  const exact = new Intl.NumberFormat(language, { maximumSignificantDigits: 8 });
  const short = new Intl.NumberFormat(language, { notation: "compact", maximumSignificantDigits: 4 });
  return {
    value: (number) => (number == null ? "–" : exact.format(number)),
    tick: (number) => (Math.abs(number) < 10_000 ? exact.format(number) : short.format(number)),
    // Numbers on the axis are often years: no separators.
    point: (point) => (typeof point === "number" ? String(Number(point.toPrecision(8))) : point),
  };
}

function Numbers({ card, words, language }) {
  const { value, point } = figures(language);
  return (
    <div className="chart-table" tabIndex={0} role="region" aria-label={card.title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{card.x_label || words.points}</th>
            {card.series.map((one) => (
              <th scope="col" key={one.name}>
                {one.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {card.x_values.map((x, row) => (
            <tr key={row}>
              <th scope="row">{point(x)}</th>
              {card.series.map((one) => (
                <td key={one.name}>{value(one.values[row])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function imageOf(run, call) {
  const organization = new URLSearchParams(location.search).get("org");
  const query = organization ? `?organization=${encodeURIComponent(organization)}` : "";
  return `/api/v1/runs/${run}/calls/${call}/chart.png${query}`;
}

/** A chart with a switch to its numbers. */
export function Chart({ card, callId, runId, language, words }) {
  const [asTable, setAsTable] = useState(false);
  const run = useContext(RunOfAnswer) || runId;
  const shown = { card, words, language };
  return (
    <figure className="tc chart" aria-label={card.title}>
      <div className="th">
        <figcaption className="grow b">{card.title}</figcaption>
        <button type="button" className="btn q sm" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? <ChartColumn className="i" aria-hidden="true" /> : <Table2 className="i" aria-hidden="true" />}
          {asTable ? words.asChart : words.asTable}
        </button>
        <a
          className="btn q ic sm"
          href={run ? imageOf(run, callId) : undefined}
          download
          aria-label={words.download}
          title={words.download}
        >
          <Download className="i" aria-hidden="true" />
        </a>
      </div>
      <div className="tb">
        {asTable ? (
          <Numbers {...shown} />
        ) : (
          <Suspense fallback={<div className="chart-room" />}>
            <Drawing {...shown} />
          </Suspense>
        )}
      </div>
    </figure>
  );
}
