import { openMasterKey } from "../auth/master-key-rotation.js";
import { readBackupState } from "../backup/service.js";
import { isMigrated, refuseOtherSchema } from "../database/migrations/migrate.js";
import { refuseTransactionPooling } from "../database/pool/transaction-pooling.js";
import {
  majorOf,
  newerMinorOf,
  newestPostgres,
  oldestPostgres,
  readChangedCollation,
} from "../database/server-version.js";
import { refuseUnsuitableDatabase } from "../database/suitable-database.js";
import { createSystemClock, secondsSince } from "../node/clock.js";
import { softwareVersion } from "../platform/software-version.js";
import type { CliContext } from "./context.js";
import { checkBlobs } from "./doctor-blobs.js";
import { type Finding, failure, ok, warning } from "./doctor-finding.js";
import { timeOf } from "./output.js";
import {
  type ProxyFault,
  readConnections,
  readFederationEnabled,
  readNodes,
  readNodesWithProxyFault,
  readServerSettings,
} from "./read-model.js";

/** Connections of a node outside its pool: for messages, acknowledgements, commit slots, other servers and notifications. */
const connectionsBesidePool = 17;
const maxDriftSeconds = 2;

/** If one of these is off, a confirmed message may be lost or a page torn. */
const durable = ["fsync", "full_page_writes", "synchronous_commit"];

export async function checkDatabase(context: CliContext, running: string | null): Promise<Finding[]> {
  const { db, config } = context;
  const settings = await readServerSettings(db);
  const findings = [checkVersion(settings.get("server_version_num") ?? "0"), ...checkSettings(settings)];
  findings.push(...(await checkCollation(context)));
  findings.push(...checkMachine(context));
  findings.push(await checkSessions(context));
  findings.push(await checkConnections(context));
  findings.push(await checkSchema(context));
  if (!(await isMigrated(db))) return findings;
  findings.push(
    await checkClock(context),
    await checkKey(context),
    await checkNodes(context),
    ...(await checkForwarding(context)),
    await checkBlobs(context, running),
    ...(await checkFederation(context)),
  );
  if (config.backupDir !== null || config.alertBackupSeconds !== null) findings.push(await checkBackups(context));
  return findings;
}

function checkVersion(number: string): Finding {
  const major = majorOf(number);
  if (major >= oldestPostgres && major <= newestPostgres) {
    const newer = newerMinorOf(number);
    if (newer === null) return ok("database", `PostgreSQL ${major}.${Number(number) % 10_000}`);
    return warning(
      "database",
      `PostgreSQL ${newer.version}, and ${newer.newest} is out: such releases fix weaknesses`,
      "update PostgreSQL; for the embedded one see EMBEDDED_POSTGRES_BIN in docs/how-to/postgresql.md",
    );
  }
  return failure("database", `PostgreSQL ${major}`, `use PostgreSQL ${oldestPostgres} to ${newestPostgres}`);
}

/** Indexes that were made with another order of texts find wrong rows. */
async function checkCollation({ db }: CliContext): Promise<Finding[]> {
  const changed = await readChangedCollation(db);
  if (changed === null) return [];
  return [
    warning(
      "collation",
      `its version was ${changed.recorded} when the indexes were made, and the system has ${changed.actual}`,
      "`reindex database` and `alter database … refresh collation version` (docs/how-to/postgresql.md)",
    ),
  ];
}

function checkSettings(settings: ReadonlyMap<string, string>): Finding[] {
  const off = durable.filter((name) => settings.get(name) === "off");
  const findings = off.map((name) =>
    failure("database settings", `${name} is off: a confirmed message may be lost`, `alter system set ${name} = on`),
  );
  if (settings.get("autovacuum") === "off") {
    findings.push(
      failure("database settings", "autovacuum is off: queues slow down", "alter system set autovacuum = on"),
    );
  }
  return findings.length > 0 ? findings : [ok("database settings", "durable, with autovacuum")];
}

/** A node would not start. */
function checkMachine({ databaseUrl, entryUrl }: Pick<CliContext, "databaseUrl" | "entryUrl">): Finding[] {
  if (entryUrl === databaseUrl) return [];
  const { host } = new URL(databaseUrl);
  return [
    failure(
      "database machine",
      "DATABASE_URL leads to a worker of Citus: nodes at different machines deadlock each other",
      `let DATABASE_URL of every node name the coordinator, ${host}`,
    ),
  ];
}

async function checkSchema({ db }: CliContext): Promise<Finding> {
  try {
    await refuseOtherSchema(db);
    const isUpToDate = await isMigrated(db);
    await refuseUnsuitableDatabase(db, { createsTables: !isUpToDate });
    if (isUpToDate) return ok("schema", "up to date");
    return failure("schema", "it is not set up for this version", "start the relay or run `mls-relay migrate`");
  } catch (problem) {
    return failure("schema", (problem as Error).message, "see docs/how-to/upgrade.md and docs/how-to/postgresql.md");
  }
}

async function checkSessions({ db }: CliContext): Promise<Finding> {
  try {
    await refuseTransactionPooling(db);
    return ok("sessions", "every connection has a separate database session");
  } catch (problem) {
    return failure("sessions", (problem as Error).message, "see docs/how-to/postgresql.md");
  }
}

async function checkConnections({ db, config }: CliContext): Promise<Finding> {
  const { max, used } = await readConnections(db);
  const perNode = config.databasePoolSize + connectionsBesidePool;
  const message = `${used} of ${max} connections in use; a node takes up to ${perNode}`;
  if (used + perNode <= max || used * 2 < max) return ok("connections", message);
  return warning("connections", message, "raise max_connections of PostgreSQL, or lower DATABASE_POOL_SIZE");
}

async function checkClock({ clock }: CliContext): Promise<Finding> {
  const driftSeconds = Math.abs(createSystemClock().nowMillis() - clock.nowMillis()) / 1000;
  const message = `${driftSeconds.toFixed(1)} s between this machine and the database`;
  return driftSeconds <= maxDriftSeconds
    ? ok("clock", message)
    : failure("clock", message, "let both synchronise their time (chrony, systemd-timesyncd)");
}

async function checkKey(context: CliContext): Promise<Finding> {
  try {
    await openMasterKey(context);
    return ok("master key", "decrypts the secrets in the database");
  } catch (problem) {
    return failure("master key", (problem as Error).message, "restore the key that this database was set up with");
  }
}

async function checkNodes({ db }: CliContext): Promise<Finding> {
  const nodes = await readNodes(db);
  const versions = new Set(nodes.map(({ version }) => version));
  if (nodes.length === 0)
    return warning("nodes", "no relay is running on this database", "start it: `mls-relay serve`");
  const message = `${nodes.length} running, version ${[...versions].join(", ")}`;
  if (versions.size === 1 && versions.has(softwareVersion)) return ok("nodes", message);
  return warning("nodes", message, `update all nodes to ${softwareVersion}, the version of this command`);
}

/** The relay starts without a certificate, and refuses messages for other domains. */
async function checkFederation({ db, config }: CliContext): Promise<Finding[]> {
  if (!(await readFederationEnabled(db))) return [];
  if ((config.federationCertFile ?? config.tlsCertFile) !== null) return [ok("federation", "on, with a certificate")];
  return [
    warning(
      "federation",
      "federation is on, but there is no certificate: messages for other domains are refused",
      "set FEDERATION_CERT_FILE and FEDERATION_KEY_FILE (docs/how-to/federation.md), or run `mls-relay settings set federation.enabled=false`",
    ),
  ];
}

/** What running nodes have seen in requests. */
async function checkForwarding({ db }: CliContext): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { fault, problem, advice } of proxyFaults) {
    const nodes = await readNodesWithProxyFault(db, fault);
    if (nodes.length > 0) findings.push(warning("proxy headers", `${problem} to ${nodes.join(", ")}`, advice));
  }
  return findings;
}

const proxyFaults: { fault: ProxyFault; problem: string; advice: string }[] = [
  {
    fault: "untrusted_proxy_at",
    problem: "a proxy that TRUSTED_PROXIES does not name sends requests",
    advice: "name it in TRUSTED_PROXIES (the log has its address): docs/how-to/proxies.md",
  },
  {
    fault: "unreadable_proxy_at",
    problem: "a trusted proxy sends X-Forwarded-For without the client's IP address",
    advice: "let it append the address (the log has the proxy's own): docs/how-to/proxies.md",
  },
];

async function checkBackups({ db, clock, config }: CliContext): Promise<Finding> {
  const now = clock.nowSeconds();
  const { finishedAt, problem } = await readBackupState(db, now);
  const message = finishedAt === null ? "there is none" : `the last one is from ${timeOf(finishedAt)}`;
  const max = config.alertBackupSeconds ?? 2 * config.backupEvery;
  if (problem === null && finishedAt !== null && secondsSince(finishedAt, now) < max) return ok("backups", message);
  return warning("backups", problem === null ? message : `${message}; ${problem}`, "see docs/how-to/backup.md");
}
