import { Command, InvalidArgumentError } from "commander";
import { createAuditService } from "../audit/service.js";
import { createOutboxCommands } from "../federation/outbox/commands.js";
import type { Backlog, OutboxCommands } from "../federation/types.js";
import { createNotifications } from "../platform/database/notifications.js";
import { parseDomain } from "../protocol/address.js";
import { type CliContext, withCliContext } from "./context.js";

export function outboxCommand(): Command {
  return new Command("outbox")
    .description("manage the messages that wait for other servers")
    .addCommand(listCommand())
    .addCommand(retryCommand())
    .addCommand(purgeCommand());
}

function listCommand(): Command {
  return new Command("list")
    .description("show the destinations that messages wait for, the longest queue first")
    .option("--limit <number>", "most destinations to show", parseLimit, defaultLimit)
    .action(({ limit }: { limit: number }) => list(limit));
}

function retryCommand(): Command {
  return new Command("retry")
    .description("let a running relay try a destination at once")
    .argument("<domain>", "the other server's name", parseName)
    .action(retry);
}

function purgeCommand(): Command {
  return new Command("purge")
    .description("delete all messages that wait for a destination; this cannot be undone")
    .argument("<domain>", "the other server's name", parseName)
    .action(purge);
}

const defaultLimit = 50;
const bySystem = { admin: null, ipAddress: null, userAgent: null };

async function list(limit: number): Promise<void> {
  await withCommands(async (commands, { db, clock }) => {
    const backlogs = await commands.backlogs(db, limit);
    if (backlogs.length === 0) console.log("No message waits for another server.");
    for (const backlog of backlogs) console.log(describe(backlog, clock.nowSeconds()));
  });
}

async function retry(domain: string): Promise<void> {
  await withCommands((commands) => commands.retry(domain, bySystem));
  console.log(`${domain} will be tried at once.`);
}

async function purge(domain: string): Promise<void> {
  await withCommands(async (commands) => {
    console.log(`${await commands.purge(domain, bySystem)} messages for ${domain} were deleted.`);
  });
}

async function withCommands(work: (commands: OutboxCommands, context: CliContext) => Promise<void>): Promise<void> {
  await withCliContext(async (context) => {
    const notifications = createNotifications(context);
    const commands = createOutboxCommands({
      ...context,
      notifications,
      audit: createAuditService(context),
      config: context.config,
    });
    try {
      await notifications.start();
      await work(commands, context);
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
  if (domain === undefined) throw new InvalidArgumentError("It must be a domain name.");
  return domain;
}

function parseLimit(text: string): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw new InvalidArgumentError("It must be a number from 1 to 999999.");
  return limit;
}
