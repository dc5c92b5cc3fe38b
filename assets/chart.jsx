// Draws a chart card with recharts. Colours are the tokens; series also differ by marker and dash, or by shade.
import {
  Area,
  AreaChart,
  Bar,
  BarChart,
  CartesianGrid,
  Line,
  LineChart,
  Pie,
  PieChart,
  ResponsiveContainer,
  Scatter,
  ScatterChart,
  Tooltip,
  XAxis,
  YAxis,
  ZAxis,
} from "recharts";
import { figures } from "./cards.jsx";

const COLOURS = 5;
const DASHES = [undefined, "6 4", "2 4", "10 4 2 4", "1 3"];
const MOST_DOTS = 40; // beyond it markers hide the line

const colour = (index) => `var(--c${(index % COLOURS) + 1})`;
const shade = (index) => (index < COLOURS ? 1 : index < 2 * COLOURS ? 0.55 : 0.3);
const dash = (index) => DASHES[(index + Math.floor(index / COLOURS)) % DASHES.length];

const SHAPES = [
  (x, y, r) => <circle cx={x} cy={y} r={r} />,
  (x, y, r) => <rect x={x - r} y={y - r} width={2 * r} height={2 * r} />,
  (x, y, r) => <path d={`M${x} ${y - 1.2 * r}L${x + 1.2 * r} ${y + r}H${x - 1.2 * r}Z`} />,
  (x, y, r) => <path d={`M${x} ${y - 1.3 * r}L${x + 1.3 * r} ${y}L${x} ${y + 1.3 * r}L${x - 1.3 * r} ${y}Z`} />,
  (x, y, r) => <path d={`M${x - r} ${y - r}L${x + r} ${y + r}M${x + r} ${y - r}L${x - r} ${y + r}`} strokeWidth="2" />,
];

function Marker({ index, x, y, r = 3.5 }) {
  if (x == null || y == null) return null;
  return (
    <g fill={colour(index)} stroke={colour(index)} fillOpacity={shade(index)}>
      {SHAPES[index % SHAPES.length](x, y, r)}
    </g>
  );
}

function Sample({ index, kind }) {
  const lined = kind === "line" || kind === "area";
  return (
    <svg className="chart-key" width={lined ? 22 : 10} height="10" aria-hidden="true">
      {lined && (
        <line x1="0" x2="22" y1="5" y2="5" stroke={colour(index)} strokeWidth="2" strokeDasharray={dash(index)} />
      )}
      {kind === "bar" || kind === "pie" ? (
        <rect width="10" height="10" rx="2" fill={colour(index)} fillOpacity={shade(index)} />
      ) : (
        <Marker index={index} x={lined ? 11 : 5} y={5} />
      )}
    </svg>
  );
}

function Hovered({ active, payload, label, card, show }) {
  if (!active || !payload?.length) return null;
  const isScatter = card.type === "scatter";
  const head = isScatter ? payload[0].payload.x : label;
  const rows = isScatter ? payload.filter((one) => one.dataKey === "y") : payload;
  return (
    <div className="chart-tip">
      {head !== undefined && card.type !== "pie" && <b>{show.point(head)}</b>}
      {rows.map((one, row) => {
        const index = one.payload?.index ?? Number(String(one.dataKey).slice(1));
        return (
          <span key={row} className="row">
            <Sample index={index} kind={card.type} />
            <span className="grow">{card.type === "pie" ? one.name : card.series[index].name}</span>
            <span className="num">{show.value(one.value)}</span>
          </span>
        );
      })}
    </div>
  );
}

const AXIS = { tick: { fill: "var(--text-3)", fontSize: 12 }, tickLine: false };

function columns(card) {
  return card.x_values.map((x, row) =>
    Object.assign({ x }, ...card.series.map((one, index) => ({ [`s${index}`]: one.values[row] }))),
  );
}

function drawnSeries(card) {
  const dots = card.x_values.length <= MOST_DOTS;
  return card.series.map((one, index) => {
    const same = { key: one.name, dataKey: `s${index}`, name: one.name, isAnimationActive: false };
    const lined = {
      ...same,
      type: "linear",
      stroke: colour(index),
      strokeWidth: 2,
      strokeDasharray: dash(index),
      dot: dots ? ({ key, cx, cy }) => <Marker key={key} index={index} x={cx} y={cy} /> : false,
    };
    if (card.type === "bar") {
      return <Bar {...same} fill={colour(index)} fillOpacity={shade(index)} radius={[3, 3, 0, 0]} maxBarSize={48} />;
    }
    if (card.type === "area") return <Area {...lined} fill={colour(index)} fillOpacity={0.14} />;
    return <Line {...lined} activeDot={{ r: 5 }} />;
  });
}

function Columns({ card, show, common }) {
  const Kind = { line: LineChart, bar: BarChart, area: AreaChart }[card.type];
  return (
    <Kind data={columns(card)} {...common}>
      <CartesianGrid vertical={false} stroke="var(--line)" />
      <XAxis dataKey="x" {...AXIS} axisLine={{ stroke: "var(--line-2)" }} tickFormatter={show.point} minTickGap={12} />
      <YAxis {...AXIS} axisLine={false} tickFormatter={show.tick} width="auto" />
      <Tooltip
        cursor={card.type === "bar" ? { fill: "var(--s2)" } : { stroke: "var(--line-2)" }}
        content={<Hovered card={card} show={show} />}
        isAnimationActive={false}
      />
      {drawnSeries(card)}
    </Kind>
  );
}

function Pairs({ card, show, common }) {
  return (
    <ScatterChart {...common}>
      <CartesianGrid stroke="var(--line)" />
      <XAxis
        type="number"
        dataKey="x"
        {...AXIS}
        axisLine={{ stroke: "var(--line-2)" }}
        tickFormatter={show.point}
        domain={["auto", "auto"]}
      />
      <YAxis type="number" dataKey="y" {...AXIS} axisLine={false} tickFormatter={show.tick} width="auto" />
      <ZAxis range={[40, 40]} />
      <Tooltip content={<Hovered card={card} show={show} />} isAnimationActive={false} />
      {card.series.map((one, index) => (
        <Scatter
          key={one.name}
          name={one.name}
          data={card.x_values.map((x, row) => ({ x, y: one.values[row], index })).filter(({ y }) => y !== null)}
          shape={({ cx, cy }) => <Marker index={index} x={cx} y={cy} r={4} />}
          isAnimationActive={false}
        />
      ))}
    </ScatterChart>
  );
}

function Shares({ card, show, common }) {
  const parts = card.x_values.map((x, index) => ({
    index,
    name: show.point(x),
    value: card.series[0].values[index] ?? 0,
    fill: colour(index),
    fillOpacity: shade(index),
  }));
  return (
    <PieChart {...common}>
      <Tooltip content={<Hovered card={card} show={show} />} isAnimationActive={false} />
      <Pie
        data={parts}
        dataKey="value"
        nameKey="name"
        outerRadius="94%"
        stroke="var(--s1)"
        strokeWidth={2}
        startAngle={90}
        endAngle={-270}
        isAnimationActive={false}
      />
    </PieChart>
  );
}

function Legend({ card, show, language }) {
  const whole = card.series[0].values.reduce((sum, one) => sum + (one ?? 0), 0);
  const share = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  const entries =
    card.type === "pie"
      ? card.x_values.map((x, row) => [show.point(x), share.format((card.series[0].values[row] ?? 0) / whole)])
      : card.series.map((one) => [one.name, ""]);
  if (entries.length < 2 && card.type !== "pie") return null;
  return (
    <ul className="chart-legend">
      {entries.map(([name, more], index) => (
        <li key={index}>
          <Sample index={index} kind={card.type} />
          {name} {more && <span className="num">{more}</span>}
        </li>
      ))}
    </ul>
  );
}

/** The chart with its axes' names and its legend. */
export default function Drawing({ card, words, language }) {
  const show = figures(language);
  const unit = card.y_label || (card.series.length === 1 && card.type !== "pie" ? card.series[0].name : "");
  const series = card.series.map((one) => one.name).join(", ");
  const named = [...new Set([words[card.type], card.title, unit, series])];
  const common = {
    margin: { top: 8, right: 12, bottom: 0, left: 0 },
    "aria-label": named.filter(Boolean).join(". "),
    accessibilityLayer: true,
  };
  const Kind = { pie: Shares, scatter: Pairs }[card.type] ?? Columns;
  return (
    <>
      {unit && <p className="meta chart-unit">{unit}</p>}
      <div className="chart-room">
        <ResponsiveContainer width="100%" height="100%">
          <Kind card={card} show={show} common={common} />
        </ResponsiveContainer>
      </div>
      {card.x_label && card.type !== "pie" && <p className="meta chart-axis">{card.x_label}</p>}
      <Legend card={card} show={show} language={language} />
    </>
  );
}
