import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { deviceIdOf } from "../protocol/identifiers.js";
import type { DeviceKeys } from "../sdk/keys.js";
import { readKeyFile } from "./admin-key.js";

export function conformanceCommand(): Command {
  return new Command("conformance")
    .description(
      "hold a running server to the contract, rule by rule; docs/how-to/conformance.md tells what that does to it",
    )
    .requiredOption("--url <url...>", "the server's base address; several for the nodes of one server")
    .option("--domain <domain>", "its domain, where that is not the host of the address")
    .option("--admin-key <file>", "the key of an administrator with all permissions")
    .option("--viewer-key <file>", "the key of an administrator who may only view")
    .option("--profile <name>", "test: also what changes the server's configuration or uses its limits up", "live")
    .option("--origin <domain>", "the domain of another server that the suite plays")
    .option("--origin-cert <file>", "its certificate and the ones that it stands on, PEM")
    .option("--origin-key <file>", "its key (ECDSA P-256), PEM")
    .option("--peer-url <url>", "the address of a relay that the server federates with")
    .option("--peer-domain <domain>", "its domain, where that is not the host of the address")
    .option("--only <prefix>", "only rules whose ids begin so")
    .option("--json", "print the report as JSON")
    .action(run);
}

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
  if (!["live", "test"].includes(options.profile)) throw new Error("--profile is live or test");
  const { checkConformance } = await import("../tools/conformance/suite.js");
  const { describeFinding, describeTotals } = await import("../tools/conformance/report.js");
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
      onFinding: (finding) => (options.json ? undefined : console.log(describeFinding(finding))),
    },
  );
  console.log(options.json ? JSON.stringify(report, null, 2) : `\n${describeTotals(report)}`);
  if (report.findings.some(({ verdict }) => verdict === "broken")) process.exitCode = 1;
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
    throw new Error("--origin, --origin-cert and --origin-key belong together");
  }
  return { domain: origin, cert: await readFile(originCert, "utf8"), key: await readFile(originKey, "utf8") };
}
