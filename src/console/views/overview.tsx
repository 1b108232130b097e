import { useEffect } from "preact/hooks";
import type { AnswerOf } from "../../client/connection/calls.js";
import { Badge } from "../badge.js";
import { useConsole } from "../context.js";
import { Facts } from "../facts.js";
import { formatMeasure, formatMillis, formatName, formatNumber, formatSpan, formatTime } from "../format.js";
import { Loaded } from "../loaded.js";
import { Panel } from "../panel.js";
import { refreshView, usePolled } from "../polling.js";
import { noteBack, useOutage } from "../reachability.js";
import { hrefOf } from "../route.js";
import { texts } from "../texts.js";
import { Plots } from "./plots.js";
import { type Metric, metricsSeconds, titleOf } from "./series.js";

const t = texts.overview;

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
  const isAway = useOutage() !== undefined || alerts.failure !== undefined;
  return (
    <Panel title={t.alerts}>
      <Loaded polled={alerts}>
        {({ active_alerts }) =>
          active_alerts.length === 0 ? (
            !isAway && <p class="empty">{t.noAlerts}</p>
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
  const polled = usePolled("health", () => session.call("getHealth"));
  const isAway = useOutage() === "relay";
  const isKnown = polled.failure === undefined && !isAway;
  // Health is answered without the database, and so is the first to say that it is back.
  const database = polled.data?.components.database.status;
  useEffect(() => {
    if (database !== "unhealthy") noteBack();
  }, [database]);
  return (
    <Panel title={t.health}>
      <Loaded polled={polled}>
        {(answer) => (
          <>
            <p>
              <Overall isKnown={isKnown} answer={answer} />{" "}
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
                  <Badge state={isKnown ? component.status : unknown} />
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
function Overall({ isKnown, answer }: { isKnown: boolean; answer: HealthAnswer }) {
  const { status, warnings } = answer;
  if (!isKnown) return <Badge state={unknown} text={t.unknown} />;
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
  const series = (metric: Metric) => ({ name: titleOf(metric), href: hrefOf("", { metric }) });
  const inDay = (metric: Metric) => ({ ...series(metric), name: t.inDay(titleOf(metric)) });
  const { devices, messages, federation, performance, spam } = answer;
  return [
    { ...inDay("messages_sent"), value: messages.sent_last_24h },
    { ...inDay("messages_received"), value: messages.received_last_24h },
    { ...series("queued_messages"), value: messages.queued },
    { ...series("websocket_connections"), value: performance.websocket_connections },
    {
      ...series("messages_acknowledged"),
      name: t.figures.latency,
      value: formatMillis(performance.p95_delivery_latency_ms),
    },
    { ...series("devices"), value: devices.total },
    { ...inDay("devices_registered"), value: devices.new_last_24h },
    { name: t.figures.blocked, value: devices.blocked, href: hrefOf("reports") },
    { name: t.inDay(titleOf("spam_reports")), value: spam.reports_last_24h, href: hrefOf("reports") },
    { ...inDay("requests_rate_limited"), value: spam.rate_limited_requests_last_24h },
    { name: t.figures.peers, value: federation.active_peers, href: hrefOf("federation") },
    {
      ...series("federated_deliveries_failed"),
      name: t.inDay(t.figures.failed),
      value: federation.failed_deliveries_last_24h,
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
    { name: t.inDay(t.figures.pushes), value: accepted, href },
    { name: t.figures.answeredPushes, value: accepted === 0 ? texts.none : percent(answered / accepted), href },
    { name: t.figures.pushLatency, value: formatMillis(push.p95_latency_ms), href },
    { name: t.inDay(t.figures.failedPushes), value: push.failed_last_24h, href },
  ];
}

function percent(share: number): string {
  return `${Math.min(100, Math.round(share * 100))} %`;
}

function Figures() {
  const { session } = useConsole();
  const figures = usePolled("metrics", () => session.call("getMetrics"), metricsSeconds);
  return (
    <Panel
      title={t.figuresTitle}
      buttons={
        <button type="button" onClick={refreshView}>
          {texts.refresh}
        </button>
      }
    >
      <Loaded polled={figures}>
        {(answer) => (
          <>
            <p class="hint">{t.countedAt(formatTime(answer.counted_at))}</p>
            <div class="tiles figures">
              {figuresOf(answer).map(({ name, value, href }) => (
                <a key={name} class="tile" href={href}>
                  <strong>{typeof value === "string" ? value : formatNumber(value)}</strong>
                  <span>{name}</span>
                </a>
              ))}
            </div>
          </>
        )}
      </Loaded>
    </Panel>
  );
}
