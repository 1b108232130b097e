import { checkMailbox, checkSmtpUrl, checkWebhookSecret, checkWebhookUrl } from "../platform/config/checks.js";
import { constant, integer, list, optionalInteger, optionalText, type ValuesOf } from "../platform/config/setting.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";

/** Health and alerts. */
export const alertSettings = {
  alertWebhookUrl: optionalText("Where alerts are posted", "http(s) URL", checkWebhookUrl),
  alertWebhookSecret: optionalText(
    "Secret that signs what is posted to ALERT_WEBHOOK_URL",
    "whsec_…",
    checkWebhookSecret,
  ),
  alertMailTo: list("Mailboxes that alerts are sent to by SMTP_URL", "list of addresses", checkMailbox),
  alertMailFrom: {
    ...optionalText("Sender of these mails", "address", checkMailbox),
    shownFallback: "mls-relay@<DOMAIN>",
  },
  smtpUrl: optionalText("Mail server for alerts, with account and password", "smtp(s) URL", checkSmtpUrl),
  alertCpuPercent: integer("Alert when a node's CPU usage stays above this", { default: 80, min: 1, max: 100 }),
  alertSpamReports: integer("Alert at this many verified spam reports in an hour", {
    default: 20,
    min: 1,
    max: 1_000_000,
  }),
  alertOutboxSeconds: integer("Alert when the oldest message to a server has waited this long", {
    default: hourSeconds,
    min: 1,
    max: 30 * daySeconds,
  }),
  alertPushFailures: integer("Alert at this many failed attempts to wake devices in an hour, if most fail", {
    default: 100,
    min: 1,
    max: 1_000_000_000,
  }),
  alertQueueGrowthMessages: integer("Alert when queues grow by this many messages in an hour", {
    default: 10_000,
    min: 1,
    max: 1_000_000_000,
  }),
  alertDatabaseMillis: integer("Alert when a trivial query to the database takes longer than this", {
    default: 250,
    min: 1,
    max: 60_000,
  }),
  alertDeadRows: integer("Alert when a table has this many dead rows", {
    default: 1_000_000,
    min: 1,
    max: 1_000_000_000,
  }),
  alertCertificateDays: integer("Alert when the TLS certificate expires within this many days", {
    default: 14,
    min: 0,
    max: 365,
  }),
  alertBackupSeconds: {
    ...optionalInteger("Alert when the last backup is older than this", { min: hourSeconds, max: 365 * daySeconds }),
    shownFallback: "twice BACKUP_EVERY where BACKUP_DIR is set, else off",
  },
};

export const healthConstants = {
  healthTimeoutMillis: constant("Time without an answer after which a component is unhealthy", 2000),
  alertCheckSeconds: constant("Interval at which the conditions of alerts are checked", 15),
  alertCalmSeconds: constant("Time after the end of a database outage for which its alert stays", 60),
  alertKeptSeconds: constant("Time for which resolved alerts are kept", 30 * daySeconds),
  alertSpamFactor: constant("How many times the average of the last 7 days they must be", 3),
  alertDatabaseSeconds: constant("Time for which the database must stay slower than alertDatabaseMillis", 30),
  alertAnonymousStoragePercent: constant("Alert when this much of INFO_PACKAGE_ANONYMOUS_BYTES is used", 80),
  alertSlotStoragePercent: constant("Alert when this much of SLOT_STORAGE_BYTES is used", 80),
  alertBlobStoragePercent: constant("Alert when this much of BLOB_STORAGE_BYTES is used", 80),
};

export type HealthSettings = ValuesOf<typeof alertSettings & typeof healthConstants>;
