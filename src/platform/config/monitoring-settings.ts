import { daySeconds, hourSeconds } from "../../protocol/units.js";
import { integer } from "./setting.js";

/** Measuring, health and alerts. */
export const monitoringSettings = {
  censusSeconds: integer("Devices and queues are counted this often", { default: 60, min: 1, max: hourSeconds }),
  healthTimeoutMillis: integer("A part that does not answer for this long is unhealthy", {
    default: 2000,
    min: 50,
    max: 60_000,
  }),
  alertCheckSeconds: integer("The conditions of alerts are looked at this often", {
    default: 15,
    min: 1,
    max: hourSeconds,
  }),
  alertCalmSeconds: integer("An outage of the database is alerted for this long after its end", {
    default: 60,
    min: 1,
    max: daySeconds,
  }),
  alertKeptSeconds: integer("Alerts that are over are kept this long", {
    default: 30 * daySeconds,
    min: hourSeconds,
    max: 3650 * daySeconds,
  }),
  alertCpuPercent: integer("Alert where a node is busier than this", { default: 80, min: 1, max: 100 }),
  alertCpuSeconds: integer("for this long", { default: 300, min: 1, max: daySeconds }),
  alertSpamReports: integer("Alert at this many verified spam reports in an hour", {
    default: 20,
    min: 1,
    max: 1_000_000,
  }),
  alertSpamFactor: integer("if they are this many times the average of the last 7 days", {
    default: 3,
    min: 1,
    max: 1000,
  }),
  alertOutboxSeconds: integer("Alert where the oldest message to a server waits for this long", {
    default: hourSeconds,
    min: 1,
    max: 30 * daySeconds,
  }),
  alertQueueGrowthMessages: integer("Alert where queues grow by this many messages in an hour", {
    default: 10_000,
    min: 1,
    max: 1_000_000_000,
  }),
  alertQueueGrowthPercent: integer("and by this many percent", { default: 50, min: 0, max: 100_000 }),
  alertDatabaseMillis: integer("Alert where the simplest question to the database takes longer than this", {
    default: 250,
    min: 1,
    max: 60_000,
  }),
  alertDatabaseSeconds: integer("for this long", { default: 30, min: 0, max: daySeconds }),
  alertDeadRows: integer("Alert where a table has this many dead rows", {
    default: 1_000_000,
    min: 1,
    max: 1_000_000_000,
  }),
  alertDeadRowsPercent: integer("if they are this many percent of all its rows", { default: 50, min: 0, max: 100 }),
  alertCertificateDays: integer("Alert where the TLS certificate ends within this many days", {
    default: 14,
    min: 0,
    max: 365,
  }),
  alertAnonymousStoragePercent: integer("Alert where INFO_PACKAGE_ANONYMOUS_BYTES is used up by this much", {
    default: 80,
    min: 1,
    max: 100,
  }),
  alertProofQueuePercent: integer("Alert where the queue of proof checks is this full", {
    default: 90,
    min: 1,
    max: 100,
  }),
};
