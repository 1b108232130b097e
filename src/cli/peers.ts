import { Command } from "commander";
import { showBlock, showPeer, showReputation } from "../admin/answers.js";
import { bySystem } from "../audit/service.js";
import { print, quoted } from "../platform/print.js";
import { RelayError } from "../protocol/errors.js";
import { jsonOption, limitOption, type ShowOptions, show, table, timeOf } from "./output.js";
import { withServices } from "./services.js";

const domainArgument = ["<domain>", "the other server's name"] as const;

export function peersCommand(): Command {
  return new Command("peers")
    .description("manage the relays of other domains")
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(blockCommand())
    .addCommand(unblockCommand());
}

function listCommand(): Command {
  return new Command("list")
    .description("show the known servers, the most recently active first, and the blocks")
    .option(...limitOption)
    .option(...jsonOption)
    .action((options: ShowOptions & { limit: number }) =>
      withServices(async ({ services }) => {
        const page = { limit: options.limit, offset: 0 };
        const [peers, { blocks }] = [await services.federation.peers(page), await services.federation.blocks(page)];
        const described = options.json ? await services.admin.federation.peers(page) : [];
        show({ peers: described.map(showPeer), blocked_servers: blocks.map(showBlock) }, options, () => [
          ...table([
            ["SERVER", "STATUS", "LAST ACTIVE", "DELIVERED TO US"],
            ...peers.map((peer) => [peer.domain, peer.status, timeOf(peer.lastActivity), String(peer.delivered)]),
          ]),
          ...blocks.map(({ domain, expiresAt, reason }) => {
            const until = expiresAt === null ? "" : ` until ${timeOf(expiresAt)}`;
            return `blocked${until}: ${domain} and its subdomains (${quoted(reason)})`;
          }),
        ]);
      }),
    );
}

function showCommand(): Command {
  return new Command("show")
    .description("show everything about a server, including its reputation")
    .argument(...domainArgument)
    .option(...jsonOption)
    .action((domain: string, options: ShowOptions) =>
      withServices(async ({ services }) => {
        const found = await services.federation.reputation(domain);
        const percent = found.uptimePercentage === null ? "never called" : `${found.uptimePercentage.toFixed(1)} %`;
        show(showReputation(found), options, () =>
          table([
            ["server", found.domain],
            ["status", found.status],
            ["score", found.score.toFixed(2)],
            ["messages", `${found.delivered} delivered to us, ${found.rejected} rejected`],
            ["spam", `${found.spamReports} reporters`],
            ["answers", percent],
            ["certificate", found.certificateValid === null ? "-" : found.certificateValid ? "valid" : "not valid"],
            ["first contact", timeOf(found.firstContact)],
            ["last active", timeOf(found.lastActivity)],
          ]),
        );
      }),
    );
}

function blockCommand(): Command {
  return new Command("block")
    .description("block a server and its subdomains; running relays apply it within a second")
    .argument(...domainArgument)
    .requiredOption("--reason <text>", "stored with the block and in the audit log")
    .action((domain: string, { reason }: { reason: string }) =>
      withServices(async ({ services }) => {
        const block = await services.federation.block({ domain, reason }, null, async (trx, { domain: target }) => {
          const details = { reason, expires_at: null, reason_category: "other", severity: "medium" };
          await services.audit.record(trx, { ...bySystem, action: "federation_blocked", target, details });
        });
        print(`${block.domain} is blocked.`);
      }),
    );
}

function unblockCommand(): Command {
  return new Command("unblock")
    .description("lift a block, and reset the counters of the servers that it covered")
    .argument(...domainArgument)
    .action((domain: string) =>
      withServices(async ({ services }) => {
        const { domain: host } = await services.federation
          .unblock(domain, async (trx, target) => {
            await services.audit.record(trx, { ...bySystem, action: "federation_unblocked", target, details: {} });
          })
          .catch(explain);
        print(`${host} is no longer blocked.`);
      }),
    );
}

/** The block may be of a parent domain. */
function explain(problem: unknown): never {
  if (problem instanceof RelayError && problem.id === "NOT_FOUND") {
    throw new Error("this domain itself is not blocked; `peers list` shows the blocks", { cause: problem });
  }
  throw problem;
}
