import { Command, InvalidArgumentError } from "commander";
import { showBacklog } from "../admin/answers.js";
import { bySystem, createAuditService } from "../audit/service.js";
import type { Backlog, OutboxOperations } from "../federation/model/types.js";
import { createOutboxOperations } from "../federation/outbox/operations.js";
import { print, quoted } from "../platform/print.js";
import { parseDomain } from "../protocol/address.js";
import { type CliContext, withCliContext } from "./context.js";
import { jsonOption, limitOption, type ShowOptions, show } from "./output.js";

export function outboxCommand(): Command {
  return new Command("outbox")
    .description("manage the messages waiting for other servers")
    .addCommand(listCommand())
    .addCommand(retryCommand())
    .addCommand(purgeCommand());
}

function listCommand(): Command {
  return new Command("list")
    .description("show the destinations that messages wait for, the longest queue first")
    .option(...limitOption)
    .option(...jsonOption)
    .action(list);
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
    .option(...jsonOption)
    .action(purge);
}

async function list(options: ShowOptions & { limit: number }): Promise<void> {
  await withOperations(async (operations, { db, clock }) => {
    const backlogs = await operations.backlogs(db, options.limit);
    const lines = backlogs.map((backlog) => describe(backlog, clock.nowSeconds()));
    show(backlogs.map(showBacklog), options, () =>
      lines.length === 0 ? ["No messages are waiting for other servers."] : lines,
    );
  });
}

async function retry(domain: string): Promise<void> {
  await withOperations((operations) => operations.retry(domain, bySystem));
  print(`${domain} will be tried at once.`);
}

async function purge(domain: string, options: ShowOptions): Promise<void> {
  await withOperations(async (operations) => {
    const purged_messages = await operations.purge(domain, bySystem);
    show({ server_domain: domain, purged_messages }, options, () => [
      `${purged_messages} messages for ${domain} were deleted.`,
    ]);
  });
}

async function withOperations(
  work: (operations: OutboxOperations, context: CliContext) => Promise<void>,
): Promise<void> {
  await withCliContext(async (context) => {
    const { db, clock, notifications, config } = context;
    const audit = createAuditService(context);
    const operations = createOutboxOperations({ db, clock, notifications, audit, config });
    try {
      await notifications.start();
      await work(operations, context);
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
  const why = problem === null ? "" : ` (${quoted(problem)})`;
  const failed = failures === 0 ? `${reached}${why}` : `${failures} failures${why}, ${reached}`;
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
