import { useMemo } from "preact/hooks";
import { localTimeOf, secondsOf } from "../action.js";
import { useConsole } from "../context.js";
import { Loaded } from "../loaded.js";
import { Panel } from "../panel.js";
import { Plot, type PlotData } from "../plot.js";
import { usePolled } from "../polling.js";
import { changeQuery, usePlace } from "../route.js";
import { texts } from "../texts.js";
import { cut, drawn, type Shown, shownIn } from "./range.js";
import {
  formatOf,
  intervalSeconds,
  intervals,
  type Metric,
  measureOf,
  metrics,
  metricsSeconds,
  periodSeconds,
  periods,
  titleOf,
  usualMetrics,
} from "./series.js";

const t = texts.overview;

export function Plots() {
  const { session } = useConsole();
  const { query } = usePlace();
  const shown = shownIn(query, session.nowSeconds());
  const { period, interval, range } = shown;
  const chosen = metrics.find((one) => one === query["metric"]);
  const isEmpty = range !== undefined && range.until <= range.since;
  return (
    <Panel title={t.plots}>
      <div class="controls">
        <Choice
          label={t.metric}
          value={chosen ?? ""}
          options={metricOptions}
          onChoose={(metric) => changeQuery({ metric })}
        />
        <Choice
          label={t.period}
          value={range === undefined ? period : ownRange}
          options={periodOptions}
          onChoose={(value) => changeQuery(periodChange(value, shown, session.nowSeconds()))}
        />
        {range !== undefined && (
          <>
            <Moment label={t.from} name="from" value={range.since} />
            <Moment label={t.until} name="until" value={range.until} />
          </>
        )}
        <Choice
          label={t.interval}
          value={interval}
          options={intervals.map((one) => [one, t.intervals[one]])}
          onChoose={(value) => changeQuery({ interval: value })}
        />
        {range !== undefined && (
          <button type="button" onClick={() => changeQuery(lastPeriod(period))}>
            {t.leaveRange(t.periods[period])}
          </button>
        )}
      </div>
      <p class="hint">
        {t.drag} {texts.plots.dashed}
      </p>
      {isEmpty ? (
        <p class="note warn">{t.noRange}</p>
      ) : (
        <div class="plots">
          {(chosen === undefined ? usualMetrics : [chosen]).map((metric) => (
            <Series key={metric} metric={metric} shown={shown} />
          ))}
        </div>
      )}
    </Panel>
  );
}

const metricOptions: readonly Option[] = [
  ["", t.usualPlots],
  ...metrics.map((metric): Option => [metric, titleOf(metric)]),
];

/** Stands for a range of time among the periods. */
const ownRange = "range";
const periodOptions: readonly Option[] = [
  ...periods.map((one): Option => [one, t.periods[one]]),
  [ownRange, t.ownRange],
];

/** A range of time begins as what is shown at the moment. */
function periodChange(value: string, { asked }: Shown, now: number): Record<string, string> {
  if (value !== ownRange) return lastPeriod(value);
  const until = Math.floor(now);
  return { from: String(until - periodSeconds[asked]), until: String(until) };
}

/** The address bar of a period up to now. The resolution of a range may be far too fine for it. */
function lastPeriod(period: string): Record<string, string> {
  return { period, from: "", until: "", interval: "" };
}

interface MomentProps {
  label: string;
  name: "from" | "until";
  /** Unix seconds. */
  value: number;
}

function Moment({ label, name, value }: MomentProps) {
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        value={localTimeOf(value)}
        onChange={(event) => {
          const seconds = secondsOf(event.currentTarget.value);
          if (seconds !== undefined) changeQuery({ [name]: String(seconds) });
        }}
      />
    </label>
  );
}

/** A value of the address bar, and its words. */
type Option = readonly [value: string, words: string];

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly Option[];
  onChoose(value: string): void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

function Series({ metric, shown }: { metric: Metric; shown: Shown }) {
  const { session } = useConsole();
  const { asked: period, interval, range } = shown;
  const label = titleOf(metric);
  const load = async (): Promise<PlotData> => {
    const { data_points } = await session.call("getMetricsTimeseries", { query: { metric, period, interval } });
    const until = Math.floor(session.nowSeconds());
    return {
      label,
      points: data_points,
      until,
      since: until - periodSeconds[period],
      span: intervalSeconds[interval],
      format: formatOf(metric),
    };
  };
  const series = usePolled(`${metric} ${period} ${interval}`, load, metricsSeconds);
  const { data } = series;
  const part = useMemo(() => data && cut(data, range), [data, range?.since, range?.until]);
  return (
    <figure>
      <figcaption>
        {label} <small>{measureOf(metric, interval)}</small>
      </figcaption>
      <Loaded polled={{ ...series, data: part }}>
        {(plotted) => <Plot data={plotted} onSelect={(since, until) => changeQuery(drawn(shown, since, until))} />}
      </Loaded>
    </figure>
  );
}
