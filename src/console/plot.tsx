import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { formatNumber, formatTime } from "./format.js";
import { texts } from "./texts.js";

export interface Point {
  timestamp: number;
  value: number;
}

const height = 180;

/** A time series as a line, and, for who cannot see it, as its extremes and a table. */
export function Plot({ label, points }: { label: string; points: readonly Point[] }) {
  const holder = useRef<HTMLDivElement>(null);
  const [theme, setTheme] = useState(0);
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
    const plot = new uPlot(optionsFor(element), dataOf(points), element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [points, theme]);
  if (points.length === 0) return <p class="empty">{texts.plots.empty}</p>;
  return (
    <>
      <div ref={holder} class="plot" role="img" aria-label={describe(label, points)} />
      <details>
        <summary>{texts.plots.asTable}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard */}
        <section class="scroll" tabIndex={0} aria-label={label}>
          <table>
            <thead>
              <tr>
                <th scope="col">{texts.plots.time}</th>
                <th scope="col">{texts.plots.value}</th>
              </tr>
            </thead>
            <tbody>
              {points.map(({ timestamp, value }) => (
                <tr key={timestamp}>
                  <td>{formatTime(timestamp)}</td>
                  <td class="number">{formatNumber(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </>
  );
}

function describe(label: string, points: readonly Point[]): string {
  const values = points.map(({ value }) => value);
  return texts.plots.describe(label, formatNumber(Math.min(...values)), formatNumber(Math.max(...values)));
}

function dataOf(points: readonly Point[]): uPlot.AlignedData {
  return [points.map(({ timestamp }) => timestamp), points.map(({ value }) => value)];
}

function optionsFor(element: HTMLElement): uPlot.Options {
  const style = getComputedStyle(element);
  const ink = style.getPropertyValue("--muted").trim();
  const grid = { stroke: style.getPropertyValue("--line").trim(), width: 1 };
  const accent = style.getPropertyValue("--accent").trim();
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    axes: [
      { stroke: ink, grid, ticks: grid },
      { stroke: ink, grid, ticks: grid, size: 60, values: (_plot, values) => values.map(formatNumber) },
    ],
    scales: { y: { range: (_plot, min, max) => [Math.min(0, min), max <= 0 ? 1 : max * 1.1] } },
    series: [{}, { stroke: accent, width: 2, fill: `${accent}22`, points: { show: true, size: 4 } }],
  };
}
