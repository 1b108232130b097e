import { Command, InvalidArgumentError } from "commander";
import { createAuditService } from "../audit/service.js";
import type { Backlog, OutboxDeeds } from "../federation/outbox.js";
import { createOutboxDeeds } from "../federation/outbox-deeds.js";
import { createNotifications } from "../platform/database/notifications.js";
import { parseDomain } from "../protocol/address.js";
import { atWorkplace, type Workplace } from "./workplace.js";

/** Messages that wait for other servers. */
export function outboxCommand(): Command {
  return new Command("outbox")
    .description("messages that wait for other servers")
    .addCommand(listCommand())
    .addCommand(retryCommand())
    .addCommand(purgeCommand());
}

function listCommand(): Command {
  return new Command("list")
    .description("show the destinations for which messages wait, the fullest first")
    .option("--limit <number>", "most destinations to show", parseLimit, defaultLimit)
    .action(({ limit }: { limit: number }) => list(limit));
}

function retryCommand(): Command {
  return new Command("retry")
    .description("have a relay that runs try a destination at once")
    .argument("<domain>", "the other server's name", parseName)
    .action(retry);
}

function purgeCommand(): Command {
  return new Command("purge")
    .description("drop everything that waits for a destination; it cannot be brought back")
    .argument("<domain>", "the other server's name", parseName)
    .action(purge);
}

const defaultLimit = 50;
const bySystem = { admin: null, ipAddress: null, userAgent: null };

async function list(limit: number): Promise<void> {
  await atDeeds(async (deeds, { db, clock }) => {
    const backlogs = await deeds.backlogs(db, limit);
    if (backlogs.length === 0) console.log("No message waits for another server.");
    for (const backlog of backlogs) console.log(describe(backlog, clock.nowSeconds()));
  });
}

async function retry(domain: string): Promise<void> {
  await atDeeds((deeds) => deeds.retry(domain, bySystem));
  console.log(`${domain} is tried at once.`);
}

async function purge(domain: string): Promise<void> {
  await atDeeds(async (deeds) => {
    console.log(`${await deeds.purge(domain, bySystem)} messages for ${domain} are dropped.`);
  });
}

async function atDeeds(work: (deeds: OutboxDeeds, place: Workplace) => Promise<void>): Promise<void> {
  await atWorkplace(async (place) => {
    const notifications = createNotifications(place);
    const deeds = createOutboxDeeds({
      ...place,
      notifications,
      audit: createAuditService(place),
      limits: place.config,
    });
    try {
      await notifications.start();
      await work(deeds, place);
    } finally {
      await notifications.stop();
    }
  });
}

/** `relay.example  12 messages, 4096 bytes, oldest 300 s; 3 failures (connection), next attempt in 20 s` */
function describe(backlog: Backlog, now: number): string {
  const { domain, messages, bytes, oldestAt, failures, problem } = backlog;
  const amount = `${messages} messages, ${bytes} bytes, oldest ${ageOf(oldestAt, now)}`;
  const reached = backlog.reachedAt === null ? "never reached" : `reached ${ageOf(backlog.reachedAt, now)} ago`;
  const failed = failures === 0 ? reached : `${failures} failures (${problem ?? "unknown"}), ${reached}`;
  return `${domain}  ${amount}; ${failed}, ${describeNext(backlog, now)}`;
}

function describeNext({ sending, nextAttemptAt }: Backlog, now: number): string {
  if (sending) return "being sent";
  return nextAttemptAt === null ? "not due" : `next attempt in ${Math.max(0, nextAttemptAt - now)} s`;
}

function ageOf(time: number | null, now: number): string {
  return time === null ? "unknown" : `${Math.max(0, now - time)} s`;
}

function parseName(text: string): string {
  const domain = parseDomain(text, { privateAllowed: true });
  if (domain === undefined) throw new InvalidArgumentError("It is no server name.");
  return domain;
}

function parseLimit(text: string): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw new InvalidArgumentError("It is no number from 1 to 999999.");
  return limit;
}
