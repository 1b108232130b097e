import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestAuthority } from "../../scripts/test-ca/authority.js";
import { deviceKeysOf } from "../../src/client/crypto/keys.js";
import type { Config } from "../../src/composition/config.js";
import type { OriginCredential, Target } from "../../src/conformance/harness/types.js";
import type { Report } from "../../src/conformance/report/findings.js";
import { createOriginFixture, type OriginFixture } from "../federation/origin-fixture.js";
import { adminKeys } from "../support/admin.js";
import { startRelay, type TestRelay } from "../support/relay.js";

/** A relay that the suite knows everything about that it can be told. */
export interface Harness {
  relay: TestRelay;
  target: Target;
  stop(): Promise<void>;
}

const originDomain = "origin.example";

/**
 * Starts a relay, or several nodes of one. Runs of the suite that follow each other at once need one without backups, because a
 * backup that was asked for is made a little later.
 */
export async function startHarness({ nodes = 1, backups = true } = {}): Promise<Harness> {
  const keys = administrators();
  const origins = await createOriginFixture();
  const certificate = await certificateOf(origins, "relay.test");
  const first = await startRelay({
    ...keys.config,
    ...origins.config,
    ...certificate,
    backupDir: backups ? await mkdtemp(path.join(tmpdir(), "mls-relay-conformance-")) : null,
    federationAllowPrivate: true,
    federationAllowAnyPort: true,
  });
  const others: TestRelay[] = [];
  for (let more = 1; more < nodes; more++) others.push(await startRelay(first.config, { clock: first.clock }));
  const relays = [first, ...others];
  const { credential } = await origins.origin(originDomain);
  return {
    relay: first,
    target: {
      ...keys.target,
      urls: relays.map(({ url }) => url),
      domain: first.config.domain,
      testProfile: true,
      origin: { domain: originDomain, cert: credential.cert, key: credential.key },
      passTime: async (seconds) => first.clock.advance(seconds),
    },
    async stop() {
      for (const relay of relays.reverse()) await relay.stop();
      await origins.stop();
      if (first.config.backupDir !== null) await rm(first.config.backupDir, { recursive: true, force: true });
    },
  };
}

/** The rules that are broken, each with the reason. */
export function brokenRules({ findings }: Report): string[] {
  return findings.filter(({ outcome }) => outcome === "broken").map(({ rule, reason }) => `${rule.id}: ${reason}`);
}

/** An administrator and one who may only read the audit log, for a relay and for the suite. */
export function administrators(): {
  config: Pick<Config, "adminList">;
  target: Pick<Target, "adminKeys" | "viewerKeys">;
} {
  const [admin, viewer] = [adminKeys("all"), adminKeys("view_audit")];
  return {
    config: { adminList: `${admin.seed},${viewer.seed}` },
    target: { adminKeys: deviceKeysOf(admin.secretKey), viewerKeys: deviceKeysOf(viewer.secretKey) },
  };
}

/** What lets a relay send to others: they are asked for by name first, and these names nobody has. */
async function certificateOf({ authority, config }: OriginFixture, host: string): Promise<Partial<Config>> {
  const { cert, key } = await authority.issue({ hosts: [host] });
  const folder = path.dirname(config.federationCaFile ?? "");
  const files = {
    federationCertFile: path.join(folder, "own.pem"),
    federationKeyFile: path.join(folder, "own-key.pem"),
  };
  await writeFile(files.federationCertFile, cert);
  await writeFile(files.federationKeyFile, key);
  return files;
}

/** The suite's own server, at a port of localhost that was free a moment ago. */
export async function listeningOrigin(authority: TestAuthority): Promise<OriginCredential> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  const { cert, key } = await authority.issue({ hosts: ["localhost"] });
  return { domain: `localhost:${port}`, cert, key, listen: { host: "127.0.0.1", port } };
}
