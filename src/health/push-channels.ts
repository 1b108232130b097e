import { createHmac } from "node:crypto";
import type { ServerConfig } from "../platform/config/server.js";
import type { HealthSettings } from "./config.js";
import type { AlertEvent } from "./push-store.js";
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

/** Sends a notice once; rejects if that fails. */
type AlertChannel = (notice: AlertNotice) => Promise<void>;

export type PushConfig = HealthSettings & Pick<ServerConfig, "domain">;

const timeoutMillis = 10_000;

/** The channels that are configured, by name. */
export function createChannels(config: PushConfig): ReadonlyMap<string, AlertChannel> {
  const channels = new Map<string, AlertChannel>();
  const { alertWebhookUrl: url, alertWebhookSecret: secret, smtpUrl } = config;
  if (url !== null && secret !== null) channels.set("webhook", (notice) => postNotice({ url, secret, config }, notice));
  if (smtpUrl !== null && config.alertMailTo.length > 0) {
    channels.set("mail", (notice) => mailNotice({ smtpUrl, config }, notice));
  }
  return channels;
}

/** The same for every attempt, so that a receiver recognises a repetition. */
function idOf({ alert, event }: AlertNotice): string {
  return event === "changed" ? `${alert.id}.${event}.${alert.severity}` : `${alert.id}.${event}`;
}

/** Signed as https://www.standardwebhooks.com describes it. */
async function postNotice(
  { url, secret, config }: { url: string; secret: string; config: PushConfig },
  notice: AlertNotice,
): Promise<void> {
  const body = JSON.stringify(showNotice(notice, config.domain));
  const [id, timestamp] = [idOf(notice), String(notice.at)];
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Webhook-Id": id,
      "Webhook-Timestamp": timestamp,
      "Webhook-Signature": `v1,${signature}`,
    },
    body,
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMillis),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
}

async function mailNotice(
  { smtpUrl, config }: { smtpUrl: string; config: PushConfig },
  notice: AlertNotice,
): Promise<void> {
  // Loaded only when it is used.
  const { createTransport } = await import("nodemailer");
  const timeouts = { connectionTimeout: timeoutMillis, greetingTimeout: timeoutMillis, socketTimeout: timeoutMillis };
  const transport = createTransport({ url: smtpUrl, ...timeouts });
  const { alert, event } = notice;
  const host = config.domain.replace(/:\d+$/, "");
  try {
    await transport.sendMail({
      from: config.alertMailFrom ?? `mls-relay@${host}`,
      to: [...config.alertMailTo],
      subject: `[${config.domain}] ${event === "cleared" ? "cleared" : alert.severity}: ${alert.condition}`,
      messageId: `<${idOf(notice)}@${host}>`,
      headers: { "Auto-Submitted": "auto-generated" },
      text: textOf(notice, config.domain),
    });
  } finally {
    transport.close();
  }
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
