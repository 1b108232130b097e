#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { routes } from "../../generated/routes.js";
import { readKeyFile } from "../auth/admin-key.js";
import type { DeviceKeys } from "../client/keys.js";
import { print, printError } from "../platform/print.js";
import { deviceIdOf } from "../protocol/identifiers.js";
import { describeFinding, describeTotals } from "./report.js";
import { checkConformance } from "./suite.js";

const program = new Command("mls-relay-conformance")
  .description(
    "check a running server against the contract, rule by rule; docs/how-to/conformance.md describes the effects on it",
  )
  .requiredOption("--url <url...>", "the server's base address; several for the nodes of one server")
  .option("--domain <domain>", "its domain, where that is not the host of the address")
  .option("--admin-key <file>", "the key of an administrator with all permissions")
  .option("--viewer-key <file>", "the key of an administrator who may only view")
  .option(
    "--profile <name>",
    "live or test; test also runs rules that change the server's configuration or use up its limits",
    "live",
  )
  .option("--origin <domain>", "the domain of the server that the suite poses as")
  .option("--origin-cert <file>", "its certificate chain, PEM")
  .option("--origin-key <file>", "its key (ECDSA P-256), PEM")
  .option("--peer-url <url>", "the address of a relay that the server federates with")
  .option("--peer-domain <domain>", "its domain, where that is not the host of the address")
  .option("--only <prefix>", "only rules whose ids begin with this")
  .option("--json", "print the report as JSON")
  .action(run);

interface Options {
  url: string[];
  domain?: string;
  adminKey?: string;
  viewerKey?: string;
  profile: string;
  origin?: string;
  originCert?: string;
  originKey?: string;
  peerUrl?: string;
  peerDomain?: string;
  only?: string;
  json?: boolean;
}

async function run(options: Options): Promise<void> {
  if (!["live", "test"].includes(options.profile)) throw new Error("--profile must be live or test");
  for (const url of options.url) await requireServer(url);
  const report = await checkConformance(
    {
      urls: options.url,
      domain: options.domain,
      adminKeys: await keysOf(options.adminKey),
      viewerKeys: await keysOf(options.viewerKey),
      testProfile: options.profile === "test",
      origin: await originOf(options),
      peer: options.peerUrl === undefined ? undefined : { url: options.peerUrl, domain: options.peerDomain },
    },
    {
      only: options.only,
      onFinding: (finding) => (options.json ? undefined : print(describeFinding(finding))),
    },
  );
  print(options.json ? JSON.stringify(report, null, 2) : `\n${describeTotals(report)}`);
  if (report.findings.some(({ outcome }) => outcome === "broken")) process.exitCode = 1;
}

/** Without a server, every check would fail for the same reason. */
async function requireServer(url: string): Promise<void> {
  await fetch(new URL(routes.getDiscovery.path, url)).catch((cause: unknown) => {
    throw new Error(`${url} cannot be reached`, { cause });
  });
}

async function keysOf(file: string | undefined): Promise<DeviceKeys | undefined> {
  if (file === undefined) return undefined;
  const key = await readKeyFile(file);
  return { deviceId: deviceIdOf(key.publicKey), publicKey: key.publicKey, sign: (text) => key.sign(text) };
}

async function originOf({ origin, originCert, originKey }: Options) {
  const given = [origin, originCert, originKey].filter((one) => one !== undefined).length;
  if (given === 0) return undefined;
  if (origin === undefined || originCert === undefined || originKey === undefined) {
    throw new Error("--origin, --origin-cert and --origin-key must be given together");
  }
  return { domain: origin, cert: await readFile(originCert, "utf8"), key: await readFile(originKey, "utf8") };
}

try {
  await program.parseAsync();
} catch (problem) {
  printError(`mls-relay-conformance: ${problem instanceof Error ? problem.message : String(problem)}`);
  process.exitCode = 1;
}
