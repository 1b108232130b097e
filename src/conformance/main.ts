#!/usr/bin/env node
import { readFile, writeFile } from "node:fs/promises";
import { Command } from "commander";
import { routes } from "../../generated/routes.js";
import { readKeyFile } from "../auth/admin-key.js";
import type { DeviceKeys } from "../client/crypto/keys.js";
import { print, printError } from "../platform/print.js";
import { deviceIdOf } from "../protocol/identifiers.js";
import { checkClient } from "./clients/suite.js";
import { checkGroups } from "./groups/suite.js";
import { type Finding, isStoppedByLimits, type Report } from "./report/findings.js";
import { junitOf } from "./report/junit.js";
import { tapOf } from "./report/tap.js";
import { describeFinding, describeTotals } from "./report/text.js";
import { tableOfRules } from "./rule-table.js";
import { checkSpecification } from "./specification/suite.js";
import { checkConformance } from "./suite.js";

const exitStatus = { broken: 1, failed: 1, stoppedByLimits: 2 } as const;

const exitHelp = `
Exit status: 0 if no rule is broken, 1 if one is broken or the run failed, 2 if no rule is broken but limits of the
server (a rate limit, closed registration) left more rules unchecked than were checked.`;

const program = new Command("mls-relay-conformance")
  .description(
    "check a running server, a client or a groups program against the contract, rule by rule; docs/how-to/conformance.md describes the effects",
  )
  .addHelpText("after", exitHelp)
  .enablePositionalOptions();

reported(program.command("server", { isDefault: true }))
  .description("check a running server (the default)")
  .requiredOption("--url <url...>", "the server's base address; several for the nodes of one server")
  .option("--domain <domain>", "its domain, where that is not the host of the address")
  .option("--admin-key <file>", "the key of an administrator with all permissions")
  .option("--viewer-key <file>", "the key of an administrator who may only view")
  .option(
    "--profile <name>",
    "live or test; test also runs rules that change the server's configuration or use up its limits",
    "live",
  )
  .option("--specification-only", "only what the specification says, for servers that do not claim this contract")
  .option("--origin <domain>", "the domain of the server that the suite poses as")
  .option("--origin-cert <file>", "its certificate chain, PEM")
  .option("--origin-key <file>", "its key (ECDSA P-256), PEM")
  .option("--origin-listen <host:port>", "where the suite listens as that server, so that deliveries to it are checked")
  .option("--peer-url <url>", "the address of a relay that the server federates with")
  .option("--peer-domain <domain>", "its domain, where that is not the host of the address")
  .action(checkServer);

reported(program.command("client"))
  .description("check a client: start it against relays that do everything that the contract allows")
  .argument("<command...>", "the program to start; docs/how-to/conformance.md says what it must do")
  .passThroughOptions()
  .action(checkProgram);

reported(program.command("groups"))
  .description("check what a group messenger sends: start it against a relay, with other members")
  .requiredOption(
    "--url <url>",
    "the relay's base address; it must let new devices send, as with the preset development",
  )
  .option("--domain <domain>", "its domain, where that is not the host of the address")
  .argument("<command...>", "the program to start; docs/how-to/conformance.md says what it must do")
  .passThroughOptions()
  .action(checkGroupsProgram);

program
  .command("rules")
  .description("list every rule with its place in the specification")
  .option("--json", "print it as JSON")
  .action(({ json }: { json?: boolean }) => {
    const rows = tableOfRules();
    const lines = rows.map(({ part, id, place, title }) => `${part}  ${id}: ${title} [${place}]`);
    print(json ? JSON.stringify(rows, null, 2) : lines.join("\n"));
  });

interface ReportOptions {
  only?: string;
  json?: boolean;
  tap?: string;
  junit?: string;
}

interface ServerOptions extends ReportOptions {
  url: string[];
  domain?: string;
  adminKey?: string;
  viewerKey?: string;
  profile: string;
  specificationOnly?: boolean;
  origin?: string;
  originCert?: string;
  originKey?: string;
  originListen?: string;
  peerUrl?: string;
  peerDomain?: string;
}

interface GroupsProgramOptions extends ReportOptions {
  url: string;
  domain?: string;
}

/** The options about reports and the text about the exit status, which all parts have. */
function reported(command: Command): Command {
  return command
    .addHelpText("after", exitHelp)
    .option("--only <prefix>", "only rules whose ids begin with this")
    .option("--json", "print the report as JSON")
    .option("--tap <file>", "write the report as TAP as well")
    .option("--junit <file>", "write the report as JUnit XML as well");
}

async function checkServer(options: ServerOptions): Promise<void> {
  if (!["live", "test"].includes(options.profile)) throw new Error("--profile must be live or test");
  for (const url of options.url) await requireServer(url);
  const { domain } = options;
  const adminKeys = await keysOf(options.adminKey);
  const origin = await originOf(options);
  const selection = { only: options.only, onFinding: printing(options) };
  const viewerKeys = await keysOf(options.viewerKey);
  const testProfile = options.profile === "test";
  if (options.specificationOnly) {
    const target = { url: options.url[0] ?? "", domain, adminKeys, viewerKeys, testProfile, origin };
    return finish(await checkSpecification(target, selection), options);
  }
  const peer = options.peerUrl === undefined ? undefined : { url: options.peerUrl, domain: options.peerDomain };
  const target = { urls: options.url, domain, adminKeys, viewerKeys, testProfile, origin, peer };
  await finish(await checkConformance(target, selection), options);
}

async function checkProgram(command: string[], options: ReportOptions): Promise<void> {
  await finish(await checkClient(command, { only: options.only, onFinding: printing(options) }), options);
}

async function checkGroupsProgram(command: string[], options: GroupsProgramOptions): Promise<void> {
  await requireServer(options.url);
  const selection = { only: options.only, onFinding: printing(options) };
  await finish(await checkGroups(command, { relay: options, ...selection }), options);
}

function printing({ json }: ReportOptions): ((finding: Finding) => void) | undefined {
  return json ? undefined : (finding) => print(describeFinding(finding));
}

async function finish(report: Report, { only, json, tap, junit }: ReportOptions): Promise<void> {
  if (report.findings.length === 0)
    throw new Error(
      `no rule of this part has an id that begins with ${only}; \`mls-relay-conformance rules\` lists them`,
    );
  print(json ? JSON.stringify(report, null, 2) : `\n${describeTotals(report)}`);
  if (tap !== undefined) await writeFile(tap, tapOf(report.findings));
  if (junit !== undefined) await writeFile(junit, junitOf(report.findings));
  if (report.findings.some(({ outcome }) => outcome === "broken")) process.exitCode = exitStatus.broken;
  else if (isStoppedByLimits(report)) process.exitCode = exitStatus.stoppedByLimits;
}

/** Without a server, every check would fail for the same reason. */
async function requireServer(url: string): Promise<void> {
  const asked = fetch(new URL(routes.getDiscovery.path, url));
  // An answer that nobody reads keeps its connection.
  const answered = asked.then(({ body }) => body?.cancel());
  await answered.catch((cause: unknown) => {
    throw new Error(`${url} cannot be reached`, { cause });
  });
}

async function keysOf(file: string | undefined): Promise<DeviceKeys | undefined> {
  if (file === undefined) return undefined;
  const key = await readKeyFile(file);
  return { deviceId: deviceIdOf(key.publicKey), publicKey: key.publicKey, sign: (text) => key.sign(text) };
}

async function originOf({ origin, originCert, originKey, originListen }: ServerOptions) {
  const given = [origin, originCert, originKey].filter((one) => one !== undefined).length;
  if (given === 0 && originListen === undefined) return undefined;
  if (origin === undefined || originCert === undefined || originKey === undefined) {
    throw new Error("--origin, --origin-cert and --origin-key must be given together");
  }
  const listen = originListen === undefined ? undefined : listeningAt(originListen);
  return { domain: origin, cert: await readFile(originCert, "utf8"), key: await readFile(originKey, "utf8"), listen };
}

function listeningAt(text: string): { host: string; port: number } {
  const [, host, port] = /^\[?([^\]]+)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || port === undefined) throw new Error("--origin-listen must be <host>:<port>");
  return { host, port: Number(port) };
}

try {
  await program.parseAsync();
} catch (problem) {
  printError(`mls-relay-conformance: ${problem instanceof Error ? problem.message : String(problem)}`);
  process.exitCode = exitStatus.failed;
}
