import { createHmac } from "node:crypto";
import type { ServerConfig } from "../platform/config/server.js";
import type { AlertEvent } from "./alert-notices-store.js";
import type { HealthSettings } from "./config.js";
import { type AlertMail, sendMail } from "./mail.js";
import type { Alert } from "./types.js";

// Where alerts are sent. The operator sets the URL and the mail server in the environment, so they may be on a private
// network; redirects are not followed.

/** One event of one alert, as it is sent. */
interface AlertNotice {
  event: AlertEvent;
  alert: Alert;
  clearedAt: number | null;
  /** The time of the notice, in Unix seconds. */
  at: number;
}

/** Sends a notice once; rejects if that fails, or if the signal aborts. */
type AlertChannel = (notice: AlertNotice, signal: AbortSignal) => Promise<void>;

export type AlertChannelConfig = HealthSettings & Pick<ServerConfig, "domain">;

const webhookMillis = 10_000;

/**
 * The channels that are configured, by name: the webhook, and each mailbox. A mail server may take a mail for some of its recipients and
 * refuse it for others, so each mailbox has separate attempts.
 */
export function createChannels(config: AlertChannelConfig): ReadonlyMap<string, AlertChannel> {
  const channels = new Map<string, AlertChannel>();
  const { alertWebhookUrl: url, alertWebhookSecret: secret, smtpUrl } = config;
  if (url !== null && secret !== null) {
    channels.set("webhook", (notice, signal) => postNotice({ url, secret, config }, notice, signal));
  }
  for (const to of smtpUrl === null ? [] : config.alertMailTo) {
    const host = config.domain.replace(/:\d+$/, "");
    const server = { ...config, smtpUrl: smtpUrl ?? "", host };
    channels.set(`mail to ${to}`, (notice, signal) => sendMail(server, mailOf(notice, { config, host, to }), signal));
  }
  return channels;
}

/** The same for every attempt, so that a receiver recognises a repetition. */
function idOf({ alert, event }: AlertNotice): string {
  return event === "changed" ? `${alert.id}.${event}.${alert.severity}` : `${alert.id}.${event}`;
}

/** Signed as https://www.standardwebhooks.com describes it. */
async function postNotice(
  { url, secret, config }: { url: string; secret: string; config: AlertChannelConfig },
  notice: AlertNotice,
  signal: AbortSignal,
): Promise<void> {
  const body = JSON.stringify(showNotice(notice, config.domain));
  const [id, timestamp] = [idOf(notice), String(notice.at)];
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  const { target, authorization } = withoutCredentials(url);
  const limit = AbortSignal.timeout(webhookMillis);
  const response = await fetch(target, {
    method: "POST",
    headers: {
      ...authorization,
      "Content-Type": "application/json",
      "Webhook-Id": id,
      "Webhook-Timestamp": timestamp,
      "Webhook-Signature": `v1,${signature}`,
    },
    body,
    redirect: "manual",
    // In Node.js 20, a timeout that nobody refers to is forgotten before its time.
    signal: Object.assign(AbortSignal.any([signal, limit]), { limit }),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
}

/** `fetch` refuses a URL with a name and a password; they are sent as HTTP's basic authentication (RFC 7617). */
function withoutCredentials(url: string): { target: URL; authorization: { Authorization?: string } } {
  const target = new URL(url);
  const { username, password } = target;
  if (username === "" && password === "") return { target, authorization: {} };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  [target.username, target.password] = ["", ""];
  return { target, authorization: { Authorization: `Basic ${Buffer.from(credentials).toString("base64")}` } };
}

function mailOf(notice: AlertNotice, about: { config: AlertChannelConfig; host: string; to: string }): AlertMail {
  const { config, host, to } = about;
  const { alert, event } = notice;
  return {
    to,
    subject: `[${config.domain}] ${event === "cleared" ? "cleared" : alert.severity}: ${alert.condition}`,
    messageId: `<${idOf(notice)}@${host}>`,
    text: textOf(notice, config.domain),
  };
}

function textOf(notice: AlertNotice, domain: string): string {
  const { alert, clearedAt } = notice;
  return [
    alert.message,
    "",
    `server    ${domain}`,
    `alert     ${alert.condition} (${alert.severity}), ${alert.id}`,
    `since     ${timeText(alert.startedAt)}`,
    ...(clearedAt === null ? [] : [`cleared   ${timeText(clearedAt)}`]),
    `what to do: ${runbookOf(alert)}`,
    "",
    JSON.stringify(alert.details, null, 2),
    "",
  ].join("\n");
}

function showNotice({ event, alert, clearedAt, at }: AlertNotice, domain: string) {
  const { id, condition, subject, severity, component, message, startedAt, details } = alert;
  return {
    type: `alert.${event}`,
    timestamp: at,
    server: domain,
    alert: {
      ...{ id, condition, subject, severity, component, message, started_at: startedAt, cleared_at: clearedAt },
      ...{ details, runbook: runbookOf(alert) },
    },
  };
}

function runbookOf({ condition }: Alert): string {
  return `docs/how-to/alerts.md#${condition}`;
}

function timeText(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString();
}
