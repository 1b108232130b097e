import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constantsEnvironment } from "../../src/composition/config.js";
import { startEmbeddedPostgres } from "../../src/database/embedded/server.js";
import { createLogger } from "../../src/platform/logger.js";
import { encodeHex } from "../../src/protocol/encodings.js";
import { publicKeyOf } from "../../src/protocol/signature.js";
import { createTestAuthority } from "../test-ca/authority.js";

/** A relay to be fuzzed, and what a fuzzer must know to play an administrator and another relay. */
export interface FuzzedRelay {
  url: string;
  /** The credentials, as environment variables for the hooks. */
  actors: Readonly<Record<string, string>>;
  /** Its output so far. */
  output(): string;
  stop(): Promise<void>;
}

/** The relay ended before it served. */
export class EndedEarly extends Error {}

/** A PostgreSQL for any number of relays, one after the other, each with a separate database. */
export interface FuzzContext {
  /** Starts the relay whose sources are in this folder. */
  start(project: string): Promise<FuzzedRelay>;
  stop(): Promise<void>;
}

const domain = "relay.fuzz.test";
const peer = "peer.fuzz.test";
/** Only a relay that hangs takes this long, however busy the machine is. */
const startTimeoutMillis = 300_000;
const wide = "100000";

/** Nothing of a run needs to survive a power cut. */
const fastSettings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", shared_buffers: "128MB" };

/**
 * High limits, cheap proofs, and every answer checked against the contract. Each case comes from a separate network
 * address (X-Forwarded-For), so that a ban for a wrong proof affects no other case. Calls to peers are disabled,
 * because domains are random and nobody must be called by chance.
 */
const environment = {
  DOMAIN: domain,
  BASE_URL: `http://${domain}`,
  HOST: "127.0.0.1",
  PORT: "0",
  LOG_LEVEL: "error",
  TRUSTED_PROXIES: "127.0.0.0/8",
  ...constantsEnvironment({
    maxAddressesPrefixFlow: 10_000,
    maxAddressesRegistrationFlow: 10_000,
    newAddressesPerDay: Number(wide),
    announcementsPerHour: Number(wide),
    keyPackagesPerDevice: Number(wide),
    keyPackageUploadsPerHour: Number(wide),
    keyPackageFetchesPerTargetHour: Number(wide),
    keyPackageFetchesPerHour: Number(wide),
    provisioningMaxWaitSeconds: 0,
    slotsPerHour: Number(wide),
    blobsPerHour: Number(wide),
    keyPackageClaimsPerHour: Number(wide),
    newTierClaimsPerHour: Number(wide),
    claimedPackagesPerTargetHour: Number(wide),
    peerClaimsPerTargetHour: Number(wide),
    slotBytesPerHour: 1_073_741_824,
    peerSlotsPerHour: Number(wide),
    peerSlotBytesPerHour: 1_073_741_824,
    peerSlotReadsPerIpMinute: Number(wide),
    spamReportsPerHour: Number(wide),
    spamReportsPerDay: Number(wide),
    spamReportsOfOneDevicePerDay: Number(wide),
    adminMetricsPerHour: Number(wide),
    adminConfigUpdatesPerHour: Number(wide),
    adminAuditQueriesPerHour: Number(wide),
    pushSubscriptionsPerHour: Number(wide),
    pushConfirmationsPerHour: Number(wide),
    pushTestsPerHour: Number(wide),
    validateResponses: true,
  }),
  // The maximum that the contract allows.
  BATCH_LIMIT: "1000",
  PROOF_WORKERS: "1",
  CHALLENGES_PER_IP_HOUR: wide,
  FIRST_ANNOUNCEMENTS_PER_IP_HOUR: wide,
  FIRST_ANNOUNCEMENTS_PER_IP_DAY: wide,
  PROVISIONING_PER_IP_HOUR: wide,
  BLOB_BYTES_PER_DAY: "1099511627776",
  BLOB_BYTES_PER_IP_DAY: "1099511627776",
  SLOT_READS_PER_IP_HOUR: wide,
  FEDERATION_MESSAGES_PER_MINUTE: wide,
  FEDERATION_TRANSACTIONS_PER_MINUTE: wide,
  FEDERATION_BYTES_PER_MINUTE: "1099511627776",
  FEDERATION_SLOTS_PER_MINUTE: wide,
  FEDERATION_KEY_PACKAGES_PER_MINUTE: wide,
  FEDERATION_SLOT_READS_PER_MINUTE: wide,
  FEDERATION_SLOT_BYTES_PER_HOUR: "1099511627776",
  FEDERATION_PORTS: "1",
  // Subscriptions are stored, and nobody answers their push services.
  PUSH_ALLOW_PRIVATE: "true",
  PUSH_PORTS: "1",
  SHUTDOWN_GRACE_SECONDS: "1",
  SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "500",
  SEED_PROGRESSIVE_TRUST_NEW_TIER_DURATION_HOURS: "0",
  SEED_PROGRESSIVE_TRUST_ESTABLISHED_TIER_DURATION_HOURS: "0",
  SEED_PROGRESSIVE_TRUST_TRUSTED_TIER_LIMIT: wide,
  SEED_RATE_LIMITING_INFOPACKAGE_UPLOADS_PER_HOUR: wide,
  SEED_RATE_LIMITING_INFOPACKAGE_UPLOADS_PER_DAY: wide,
  SEED_STORAGE_MESSAGE_QUEUE_LIMIT: wide,
  SEED_FEDERATION_PUBLISH_BLOCKLIST: "true",
};

/** Starts the database. */
export async function openFuzzContext(): Promise<FuzzContext> {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-fuzz-"));
  await chmod(folder, 0o711);
  const logger = createLogger({ level: "error" });
  const dataDir = join(folder, "data");
  await mkdir(dataDir);
  const postgres = await startEmbeddedPostgres({ dataDir, logger, settings: fastSettings });
  const { createDatabase } = await import("../../src/database/pool/pool.js");
  return {
    async start(project) {
      const name = `fuzz_${randomBytes(6).toString("hex")}`;
      const maintenance = createDatabase({ url: postgres.url, poolSize: 1 });
      await maintenance.run(`create database ${name}`).finally(() => maintenance.close());
      const databaseUrl = new URL(postgres.url);
      databaseUrl.pathname = `/${name}`;
      return startRelay(project, { folder: await mkdtemp(join(folder, "relay-")), databaseUrl: String(databaseUrl) });
    },
    async stop() {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startRelay(project: string, place: { folder: string; databaseUrl: string }): Promise<FuzzedRelay> {
  const { actors, settings } = await makeActors(place.folder);
  const env = {
    ...{ PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment, ...settings },
    ...{ DATABASE_URL: place.databaseUrl, DATA_DIR: place.folder, BACKUP_DIR: join(place.folder, "backups") },
  };
  const child = spawn(process.execPath, ["--import", "tsx", "src/cli/main.ts", "serve"], {
    ...{ cwd: project, env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
    });
  }
  const stop = () => end(child);
  try {
    const url = await heard(child, () => / at (http:\S+)/.exec(said)?.[1]);
    return { url, actors, output: () => said, stop };
  } catch (error) {
    await stop();
    throw new (error instanceof EndedEarly ? EndedEarly : Error)(`${String(error)}\n${said}`);
  }
}

/** An administrator's key, and a relay's certificate of an authority that the fuzzed relay trusts. */
async function makeActors(folder: string) {
  const authority = await createTestAuthority(new Date());
  const credential = await authority.issue({ hosts: [peer] });
  const own = await authority.issue({ hosts: [domain] });
  const stranger = await (await createTestAuthority(new Date())).issue({ hosts: [peer] });
  const file = async (name: string, content: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  };
  const adminKey = new Uint8Array(randomBytes(32));
  const viewerKey = new Uint8Array(randomBytes(32));
  const actors = {
    FUZZ_DOMAIN: domain,
    FUZZ_ADMIN_KEY: encodeHex(adminKey),
    FUZZ_VIEWER_KEY: encodeHex(viewerKey),
    FUZZ_PEER_DOMAIN: peer,
    FUZZ_PEER_CERT: await file("peer.pem", credential.cert),
    FUZZ_PEER_KEY: await file("peer.key", credential.key),
    FUZZ_STRANGER_CERT: await file("stranger.pem", stranger.cert),
    FUZZ_STRANGER_KEY: await file("stranger.key", stranger.key),
  };
  const settings = {
    ADMIN_LIST: `${encodeHex(publicKeyOf(adminKey))}=all,${encodeHex(publicKeyOf(viewerKey))}=view_metrics`,
    FEDERATION_CA_FILE: await file("ca.pem", authority.cert),
    FEDERATION_CERT_FILE: await file("own.pem", own.cert),
    FEDERATION_KEY_FILE: await file("own.key", own.key),
  };
  return { actors, settings };
}

async function heard(child: ChildProcess, find: () => string | undefined): Promise<string> {
  const until = Date.now() + startTimeoutMillis;
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    if (child.exitCode !== null) throw new EndedEarly(`the relay ended with ${child.exitCode}`);
    if (Date.now() > until) throw new Error("the relay did not come up");
    await new Promise((settle) => setTimeout(settle, 50));
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const impatience = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await ended;
  clearTimeout(impatience);
}
