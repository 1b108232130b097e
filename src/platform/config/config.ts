import { adminSettings, spamSettings } from "./admin-settings.js";
import { backupSettings } from "./backup-settings.js";
import { serverName } from "./checks.js";
import { federationSettings, outboxSettings } from "./federation-settings.js";
import { httpSettings, tokenSettings } from "./http-settings.js";
import { messageSettings, streamSettings } from "./message-settings.js";
import { monitoringSettings } from "./monitoring-settings.js";
import { packageSettings, registrationSettings } from "./registration-settings.js";
import { databaseSettings, serverSettings } from "./server-settings.js";
import type { Setting } from "./setting.js";

/** What the names of the variables that seed the settings begin with. */
export const seedPrefix = "SEED_";

const groups = {
  Server: serverSettings,
  Database: databaseSettings,
  "HTTP bodies and connections": httpSettings,
  "Signatures, tokens and sessions": tokenSettings,
  Registration: registrationSettings,
  "Key packages, linking and info packages": packageSettings,
  "Messages and queues": messageSettings,
  Stream: streamSettings,
  "Spam reports": spamSettings,
  Federation: federationSettings,
  Outbox: outboxSettings,
  Administration: adminSettings,
  "Monitoring and alerts": monitoringSettings,
  Backups: backupSettings,
};

const table = {
  ...serverSettings,
  ...databaseSettings,
  ...httpSettings,
  ...tokenSettings,
  ...registrationSettings,
  ...packageSettings,
  ...messageSettings,
  ...streamSettings,
  ...spamSettings,
  ...federationSettings,
  ...outboxSettings,
  ...adminSettings,
  ...monitoringSettings,
  ...backupSettings,
};

type ValueOf<S> = S extends Setting<infer T> ? T : never;
type TableValues = { readonly [K in keyof typeof table]: ValueOf<(typeof table)[K]> };
type Derived = "domain" | "baseUrl" | "masterKeyFile";

/**
 * Every setting of the environment, in camelCase: `maxAddressesPrefixFlow` is MAX_ADDRESSES_PREFIX_FLOW. What an admin
 * can change at run time is not here but in the settings room, which reads its first values from `seeds`: the variables
 * that begin with SEED_, unread, under their names.
 */
export interface Config extends Omit<TableValues, Derived> {
  readonly domain: string;
  readonly baseUrl: string;
  readonly masterKeyFile: string;
  readonly seeds: Readonly<Record<string, string>>;
}

/** All that is wrong with the environment, one problem a line, each beginning with the variable's name. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** Reads the configuration; a variable that is empty counts as not set. Throws a ConfigError with all problems. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const values = readAll(table, env, problems) as TableValues;
  problems.push(...contradictions(values));
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...values, ...derive(values), seeds: collectSeeds(env) };
}

/** The names of all variables of the table. */
export function variableNames(): string[] {
  return Object.keys(table).map(variableName);
}

/** The help text: all variables of the table by group, with form, default and meaning. */
export function describeSettings(): string {
  return Object.entries(groups)
    .map(([title, group]) => describeGroup(title, group))
    .join("\n\n");
}

const common = [
  ...["domain", "baseUrl", "host", "port", "tlsCertFile", "tlsKeyFile", "trustedProxies"],
  ...["databaseUrl", "dataDir", "masterKeyFile", "adminList", "logLevel", "metricsPort"],
  ...["federationCertFile", "federationKeyFile", "federationCaFile"],
  ...["backupDir", "backupEvery", "backupKeep", "backupAgeRecipients"],
] as readonly (keyof typeof table)[];
const commonWidth = 24;

/** The variables that matter first, a line each: `  DOMAIN   The server's name [localhost:<PORT>]`. */
export function describeCommonSettings(): string {
  return common
    .map((name) => {
      const { description, shownFallback } = table[name];
      return `  ${variableName(name).padEnd(commonWidth)} ${description} [${shownFallback}]`;
    })
    .join("\n");
}

/** One line of the help text: `  PORT   The TCP port (integer 0..65535; default 8080)`. */
export function describeVariable(
  variable: string,
  about: { description: string; form: string; fallback: string },
): string {
  return `  ${variable.padEnd(46)} ${about.description} (${about.form}; default ${about.fallback})`;
}

/** `maxAddressesPrefixFlow` -> `MAX_ADDRESSES_PREFIX_FLOW`. */
function variableName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

type Rows = Readonly<Record<string, Setting<unknown>>>;

function readAll(
  rows: Rows,
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(rows)) {
    const variable = variableName(name);
    values[name] = readOne(setting, { variable, text: env[variable]?.trim() ?? "", problems });
  }
  return values;
}

function readOne(setting: Setting<unknown>, given: { variable: string; text: string; problems: string[] }): unknown {
  if (given.text === "") return setting.fallback;
  try {
    return setting.parse(given.text);
  } catch (problem) {
    given.problems.push(`${given.variable} ${problem instanceof Error ? problem.message : String(problem)}`);
    return setting.fallback;
  }
}

function collectSeeds(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const seeds: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const text = value?.trim() ?? "";
    if (name.startsWith(seedPrefix) && text !== "") seeds[name] = text;
  }
  return seeds;
}

/** Pairs that make sense only in order, lower first. */
const ordered = [
  ["pollDefaultLimit", "pollMaxLimit"],
  ["auditDefaultLimit", "auditMaxLimit"],
  ["inviteUsualLifetimeSeconds", "inviteMaxLifetimeSeconds"],
  ["keyPackageMinBytes", "keyPackageMaxBytes"],
  ["provisioningMinTtlSeconds", "provisioningMaxTtlSeconds"],
  ["infoPackageMinTtlSeconds", "infoPackageMaxTtlSeconds"],
  ["discoveryMinCacheSeconds", "discoveryMaxCacheSeconds"],
  ["outboxMinBackoffSeconds", "outboxMaxBackoffSeconds"],
  ["nodeHeartbeatSeconds", "nodeDeadAfterSeconds"],
  ["difficultyFourfoldAbove", "difficultyEightfoldAbove"],
  ["difficultyEightfoldAbove", "difficultySixteenfoldAbove"],
] as const;

function contradictions(values: TableValues): string[] {
  const problems = ordered
    .filter(([low, high]) => values[low] > values[high])
    .map(([low, high]) => `${variableName(low)} must not be above ${variableName(high)}`);
  if (values.tlsCertFile !== null && values.tlsKeyFile === null) problems.push("TLS_KEY_FILE is missing");
  if (values.tlsKeyFile !== null && values.tlsCertFile === null) problems.push("TLS_CERT_FILE is missing");
  if ((values.federationCertFile === null) !== (values.federationKeyFile === null)) {
    problems.push("FEDERATION_CERT_FILE and FEDERATION_KEY_FILE belong together: set both or none");
  }
  if (values.masterKey !== null && values.masterKeyFile !== null) {
    problems.push("MASTER_KEY_FILE contradicts MASTER_KEY: set one of them");
  }
  return problems;
}

function derive(values: TableValues): Pick<Config, Derived> {
  const scheme = values.tlsCertFile === null ? "http" : "https";
  const local = `localhost:${values.port}`;
  const domain = values.domain === null ? local : serverName(values.domain);
  const publicUrl = values.domain === null ? `${scheme}://${local}` : `https://${domain}`;
  return {
    domain,
    baseUrl: new URL(values.baseUrl ?? publicUrl).origin,
    masterKeyFile: values.masterKeyFile ?? `${values.dataDir.replace(/\/+$/, "")}/master.key`,
  };
}

function describeGroup(title: string, rows: Rows): string {
  const lines = Object.entries(rows).map(([name, { description, form, shownFallback }]) =>
    describeVariable(variableName(name), { description, form, fallback: shownFallback }),
  );
  return [`${title}:`, ...lines].join("\n");
}
