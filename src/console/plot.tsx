import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { formatTime } from "./format.js";
import { texts } from "./texts.js";

interface Point {
  timestamp: number;
  value: number;
}

/** What a plot shows: values of spans of equal length, within a period that all plots of a page share. */
export interface PlotData {
  label: string;
  points: readonly Point[];
  /** Unix seconds: the first moment that was asked for, and the one at which it was asked. */
  since: number;
  until: number;
  /** Seconds of a span. */
  span: number;
  /** A value with its unit. */
  format(value: number): string;
}

interface PlotProps {
  data: PlotData;
  /** Takes a range that was drawn across the plot, in Unix seconds. */
  onSelect(since: number, until: number): void;
}

const t = texts.plots;
const height = 180;
const axisWidth = 72;
const cursorGroup = "plots";
/** A shorter movement is a click. */
const minDragPixels = 8;

/**
 * A time series as a line, and, for who cannot see it, as its extremes and a table. Spans that the period cuts off and the one
 * that is not over are dashed: their values are those of a part.
 */
export function Plot({ data, onSelect }: PlotProps) {
  const holder = useRef<HTMLDivElement>(null);
  const [theme, setTheme] = useState(0);
  const [pointed, setPointed] = useState<number | null>(null);
  const { points, label, format } = data;
  useEffect(() => {
    const redraw = () => setTheme((old) => old + 1);
    const system = matchMedia("(prefers-color-scheme: dark)");
    document.addEventListener("themechange", redraw);
    system.addEventListener("change", redraw);
    return () => {
      document.removeEventListener("themechange", redraw);
      system.removeEventListener("change", redraw);
    };
  }, []);
  // Another theme has other colours to draw with.
  useEffect(() => {
    const element = holder.current;
    if (element === null || points.length === 0) return undefined;
    const plot = new uPlot(optionsFor(element, data, { onPoint: setPointed, onSelect }), linesOf(data), element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [points, theme]);
  if (points.length === 0) return <p class="empty">{t.empty}</p>;
  const shown = points[pointed ?? -1] ?? points.filter((point) => isWhole(point, data)).at(-1) ?? points.at(-1);
  return (
    <>
      <p class="reading">{shown !== undefined && describePoint(shown, data)}</p>
      <div ref={holder} class="plot" role="img" aria-label={describe(label, points, format)} />
      <details>
        <summary>{t.asTable}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard */}
        <section class="scroll" tabIndex={0} aria-label={label}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t.time}</th>
                <th scope="col">{t.value}</th>
              </tr>
            </thead>
            <tbody>
              {points.map((point) => (
                <tr key={point.timestamp}>
                  <td>{formatTime(point.timestamp)}</td>
                  <td class="number">
                    {format(point.value)} {!isWhole(point, data) && <small>({t.part})</small>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </>
  );
}

function isWhole({ timestamp }: Point, { since, until, span }: PlotData): boolean {
  return timestamp >= since && timestamp + span <= until;
}

function describePoint(point: Point, data: PlotData): string {
  const { span, until, format } = data;
  const to = Math.min(until, point.timestamp + span);
  const value = isWhole(point, data) ? format(point.value) : `${format(point.value)} (${t.part})`;
  const dated = span >= daySeconds ? days : moments;
  return t.at(dated.format(1000 * Math.max(data.since, point.timestamp)), dated.format(1000 * to), value);
}

function describe(label: string, points: readonly Point[], format: (value: number) => string): string {
  const values = points.map(({ value }) => value);
  return t.describe(label, format(Math.min(...values)), format(Math.max(...values)));
}

/** Times as the tables have them: 24 hours, the day before the month. */
const moments = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const hours = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const daySeconds = 86_400;

/** Marks of the time axis: the hour, with the day below where it is another one. */
function timeMarks(...[_plot, marks, _axis, _space, step]: Parameters<uPlot.Axis.DynamicValues>): string[] {
  let before = "";
  return marks.map((seconds) => {
    const day = days.format(1000 * seconds);
    const isNew = day !== before;
    before = day;
    if (step >= daySeconds) return day;
    return isNew ? `${hours.format(1000 * seconds)}\n${day}` : hours.format(1000 * seconds);
  });
}

/** The whole spans, and apart from them the others, each with its neighbour so that the line goes on. */
function linesOf(data: PlotData): uPlot.AlignedData {
  const { points } = data;
  const whole = points.map((point) => isWhole(point, data));
  const isAtPart = (index: number) => [index - 1, index, index + 1].some((near) => whole[near] === false);
  return [
    points.map(({ timestamp }) => timestamp),
    points.map(({ value }, index) => (whole[index] ? value : null)),
    points.map(({ value }, index) => (isAtPart(index) ? value : null)),
  ];
}

function optionsFor(
  element: HTMLElement,
  { since, until, span, format }: PlotData,
  { onPoint, onSelect }: { onPoint(index: number | null): void; onSelect: PlotProps["onSelect"] },
): uPlot.Options {
  const style = getComputedStyle(element);
  const ink = style.getPropertyValue("--muted").trim();
  const grid = { stroke: style.getPropertyValue("--line").trim(), width: 1 };
  const accent = style.getPropertyValue("--accent").trim();
  const first = Math.floor(since / span) * span;
  const last = Math.floor((until - 1) / span) * span;
  const select = (plot: uPlot) => {
    const { left, width } = plot.select;
    if (width === 0) return;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    onSelect(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
  };
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false, dist: minDragPixels },
      // A range is drawn in one plot, and then shown by all of them.
      sync: { key: cursorGroup, filters: { pub: (event) => event === "mousemove" || event === "mouseleave" } },
    },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)], setSelect: [select] },
    axes: [
      { stroke: ink, grid, ticks: grid, values: timeMarks, space: 60 },
      { stroke: ink, grid, ticks: grid, size: axisWidth, values: (_plot, values) => values.map(format) },
    ],
    scales: {
      x: { range: [first, Math.max(last, first + span)] },
      y: { range: (_plot, min, max) => [Math.min(0, min), max <= 0 ? 1 : max * 1.1] },
    },
    series: [
      {},
      { stroke: accent, width: 2, fill: `${accent}22`, points: { show: true, size: 4 } },
      { stroke: accent, width: 1.5, dash: [4, 4], points: { show: false } },
    ],
  };
}
