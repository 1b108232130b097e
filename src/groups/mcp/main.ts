#!/usr/bin/env node
import { parseArgs } from "node:util";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { openGroups, sqliteStore, tsMls } from "../index.js";
import { byCommand, byElicitation } from "./confirm.js";
import { createMcpServer } from "./server.js";

const usage = `Usage: mls-relay-groups mcp --relay URL --name NAME --store FILE [options]

Lets an agent list groups, join them, read in them and write to them by the Model Context Protocol, over standard input and
output. It is a device of its relay like any other: members invite its address, or it joins by a link.

  --relay URL        base address of the device's relay
  --name NAME        what other members see
  --store FILE       SQLite file with its keys and messages
  --join LINK        asks to be added by an invitation's link; may be repeated
  --invite CODE      invite code of the relay, if it requires one
  --confirm COMMAND  run before each message is sent, and before a group of strangers is joined, with the message or the group
                     as JSON in its standard input; only the exit code 0 confirms. Without it, the agent's program asks its
                     user (elicitation), or nothing is sent and no such group is joined
`;

const options = {
  relay: { type: "string" },
  name: { type: "string" },
  store: { type: "string" },
  join: { type: "string", multiple: true },
  invite: { type: "string" },
  confirm: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const { relay, name, store, join = [], invite, confirm, help } = values;
  if (help) {
    process.stdout.write(usage);
    return;
  }
  if (positionals.join() !== "mcp" || relay === undefined || name === undefined || store === undefined)
    throw new TypeError("mcp, --relay, --name and --store are required");
  const me = await openGroups({
    relay,
    name,
    store: sqliteStore(store),
    mls: tsMls(),
    admission: invite === undefined ? undefined : { by: "invite", code: invite },
    whenLocked: "refuse",
    autoAccept: false,
  });
  note(`${me.name} is ${me.address}`);
  for (const link of join) {
    // The next start has the same link.
    await me.join(link).catch((problem: Error) => note(`cannot join: ${problem.message}`));
  }
  const server = createMcpServer(me, confirm === undefined ? byElicitation : byCommand(confirm));
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    void me.close().finally(() => server.close());
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  process.stdin.once("end", stop);
  // The agent's program may have ended without closing its end.
  process.stdout.on("error", stop);
  await server.connect(new StdioServerTransport());
}

/** Standard output belongs to the protocol. */
function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

main().catch((problem: unknown) => {
  const isUsage = problem instanceof TypeError;
  note(`mls-relay-groups: ${problem instanceof Error ? problem.message : problem}${isUsage ? `\n\n${usage}` : ""}`);
  process.exitCode = isUsage ? 2 : 1;
});
