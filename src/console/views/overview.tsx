import { useEffect } from "preact/hooks";
import type { AnswerOf } from "../../client/calls.js";
import { useConsole } from "../context.js";
import { formatMeasure, formatMillis, formatName, formatNumber, formatSpan, formatTime } from "../format.js";
import { Badge, Facts, Loaded, Panel } from "../parts.js";
import { Plot, type PlotData } from "../plot.js";
import { type Polled, usePolled } from "../polling.js";
import { noteBack } from "../reachability.js";
import { changeQuery, hrefOf, usePlace } from "../route.js";
import { texts } from "../texts.js";
import {
  formatOf,
  intervalSeconds,
  intervals,
  measureOf,
  metrics,
  periodSeconds,
  periods,
  type SeriesQuery,
  titleOf,
  usualMetrics,
} from "./series.js";

const t = texts.overview;
/** An administrator may ask for metrics 1000 times an hour; five plots and the figures, in two tabs, stay below. */
const metricsSeconds = 60;

export function OverviewView() {
  const { session } = useConsole();
  return (
    <>
      <Alerts />
      <Health />
      {session.may("getMetrics") && <Figures />}
      {session.may("getMetricsTimeseries") && <Plots />}
    </>
  );
}

function Alerts() {
  const { session } = useConsole();
  const alerts = usePolled("alerts", () => session.call("listAlerts"));
  return (
    <Panel title={t.alerts}>
      <Loaded polled={alerts}>
        {({ active_alerts }) =>
          active_alerts.length === 0 ? (
            <p class="empty">{t.noAlerts}</p>
          ) : (
            <ul class="alerts">
              {active_alerts.map((alert) => (
                <li key={alert.id}>
                  <p>
                    <Badge state={alert.severity} /> <strong>{nameOf(alert.component)}</strong> {alert.message}
                  </p>
                  <p>
                    {t.help[alert.component]} {t.since} {formatTime(alert.started_at)}.
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

type HealthAnswer = AnswerOf<"getHealth">;

function Health() {
  const { session } = useConsole();
  const health = usePolled("health", () => session.call("getHealth"));
  // Health is answered without the database, and so is the first to say that it is back.
  const database = health.data?.components.database.status;
  useEffect(() => {
    if (database !== "unhealthy") noteBack();
  }, [database]);
  return (
    <Panel title={t.health}>
      <Loaded polled={health}>
        {(answer) => (
          <>
            <p>
              <Overall health={health} answer={answer} />{" "}
              {t.running(answer.software_version, formatSpan(answer.uptime_seconds))}.{" "}
              {texts.asOf(formatTime(answer.timestamp))}
            </p>
            {answer.warnings.map((warning) => (
              <p key={warning} class="note warn">
                {warning}
              </p>
            ))}
            <div class="tiles">
              {Object.entries(answer.components).map(([name, component]) => (
                <div key={name} class="tile">
                  <h3>{nameOf(name)}</h3>
                  <Badge state={health.failure === undefined ? component.status : unknown} />
                  {component.error !== undefined && <p>{component.error}</p>}
                  <Facts facts={factsOf(component)} />
                </div>
              ))}
            </div>
          </>
        )}
      </Loaded>
    </Panel>
  );
}

const unknown = "unknown";

/** How the whole is. What the relay said last is no answer to that once it says nothing more. */
function Overall({ health, answer }: { health: Polled<HealthAnswer>; answer: HealthAnswer }) {
  const { status, warnings } = answer;
  if (health.failure !== undefined) return <Badge state={unknown} text={t.unknown} />;
  if (status === "healthy" && warnings.length > 0)
    return <Badge state="warning" text={t.withWarnings(warnings.length)} />;
  return <Badge state={status} />;
}

function nameOf(component: string): string {
  return t.components[component] ?? formatName(component);
}

function factsOf(component: object): [string, string][] {
  const { status, error, details, ...figures } = component as Record<string, unknown>;
  const all = { ...figures, ...(details as Record<string, unknown>) };
  const simple = Object.entries(all).filter(([, value]) => typeof value !== "object");
  return simple.map(([name, value]) => {
    const [label, text] = formatMeasure(name, value);
    return [t.facts[name] ?? label, text];
  });
}

type Metrics = AnswerOf<"getMetrics">;

/** Each figure leads to what it is made of: its time series, or the list behind it. */
function figuresOf(answer: Metrics): { name: string; value: number | string | null; href: string }[] {
  const series = (metric: string) => hrefOf("", { metric });
  const { devices, messages, federation, performance, spam } = answer;
  return [
    { name: t.figures.sent, value: messages.sent_last_24h, href: series("messages_sent") },
    { name: t.figures.received, value: messages.received_last_24h, href: series("messages_received") },
    { name: t.figures.queued, value: messages.queued, href: series("queued_messages") },
    { name: t.figures.streams, value: performance.websocket_connections, href: series("websocket_connections") },
    {
      name: t.figures.latency,
      value: formatMillis(performance.p95_delivery_latency_ms),
      href: series("messages_acknowledged"),
    },
    { name: t.figures.devices, value: devices.total, href: series("devices") },
    { name: t.figures.signUps, value: devices.new_last_24h, href: series("devices_registered") },
    { name: t.figures.blocked, value: devices.blocked, href: hrefOf("reports") },
    { name: t.figures.reports, value: spam.reports_last_24h, href: hrefOf("reports") },
    { name: t.figures.limited, value: spam.rate_limited_requests_last_24h, href: series("requests_rate_limited") },
    { name: t.figures.peers, value: federation.active_peers, href: hrefOf("federation") },
    {
      name: t.figures.failed,
      value: federation.failed_deliveries_last_24h,
      href: series("federated_deliveries_failed"),
    },
    ...pushFiguresOf(answer),
  ];
}

/** Whether pushes arrive in time, and arrive at all. */
function pushFiguresOf({ push }: Metrics): ReturnType<typeof figuresOf> {
  if (push === undefined) return [];
  const { accepted_last_24h: accepted, answered_last_24h: answered } = push;
  const href = hrefOf("");
  return [
    { name: t.figures.pushes, value: accepted, href },
    { name: t.figures.answeredPushes, value: accepted === 0 ? texts.none : percent(answered / accepted), href },
    { name: t.figures.pushLatency, value: formatMillis(push.p95_latency_ms), href },
    { name: t.figures.failedPushes, value: push.failed_last_24h, href },
  ];
}

function percent(share: number): string {
  return `${Math.min(100, Math.round(share * 100))} %`;
}

function Figures() {
  const { session } = useConsole();
  const figures = usePolled("metrics", () => session.call("getMetrics"), metricsSeconds);
  return (
    <Panel title={t.figuresTitle}>
      <Loaded polled={figures}>
        {(answer) => (
          <>
            <div class="tiles figures">
              {figuresOf(answer).map(({ name, value, href }) => (
                <a key={name} class="tile" href={href}>
                  <strong>{typeof value === "string" ? value : formatNumber(value)}</strong>
                  <span>{name}</span>
                </a>
              ))}
            </div>
            <p class="hint">{t.countedAt(formatTime(answer.counted_at))}</p>
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Plots() {
  const { query } = usePlace();
  const period = periods.find((one) => one === query["period"]) ?? "24h";
  const interval = intervals.find((one) => one === query["interval"]) ?? "1h";
  const chosen = metrics.find((one) => one === query["metric"]);
  const shown = chosen === undefined ? usualMetrics : [chosen];
  return (
    <Panel title={t.plots}>
      <div class="controls">
        <Choice name="metric" label={t.metric} value={chosen ?? ""} options={metricOptions} />
        <Choice name="period" label={t.period} value={period} options={periods.map((one) => [one, t.periods[one]])} />
        <Choice
          name="interval"
          label={t.interval}
          value={interval}
          options={intervals.map((one) => [one, t.intervals[one]])}
        />
      </div>
      <p class="hint">{texts.plots.dashed}</p>
      <div class="plots">
        {shown.map((metric) => (
          <Series key={metric} query={{ metric, period, interval }} />
        ))}
      </div>
    </Panel>
  );
}

const metricOptions: readonly Option[] = [
  ["", t.usualPlots],
  ...metrics.map((metric): Option => [metric, titleOf(metric)]),
];

/** A value of the address bar, and its words. */
type Option = readonly [value: string, words: string];

interface ChoiceProps {
  name: string;
  label: string;
  value: string;
  options: readonly Option[];
}

function Choice({ name, label, value, options }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => changeQuery({ [name]: event.currentTarget.value })}>
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

function Series({ query }: { query: AskedSeries }) {
  const { session } = useConsole();
  const { metric, period, interval } = query;
  const label = titleOf(metric);
  const load = async (): Promise<PlotData> => {
    const { data_points } = await session.call("getMetricsTimeseries", { query });
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
  const series = usePolled(Object.values(query).join(" "), load, metricsSeconds);
  return (
    <figure>
      <figcaption>
        {label} <small>{measureOf(metric, interval)}</small>
      </figcaption>
      <Loaded polled={series}>{(data) => <Plot data={data} />}</Loaded>
    </figure>
  );
}

type AskedSeries = Required<SeriesQuery>;
