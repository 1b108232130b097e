import { adminSettings, spamSettings } from "./config/admin-settings.js";
import { serverName } from "./config/checks.js";
import { federationSettings, outboxSettings } from "./config/federation-settings.js";
import { httpSettings, tokenSettings } from "./config/http-settings.js";
import { messageSettings, streamSettings } from "./config/message-settings.js";
import { packageSettings, registrationSettings } from "./config/registration-settings.js";
import { type Seeds, seedVariable, settingsTree } from "./config/seeds.js";
import { databaseSettings, serverSettings } from "./config/server-settings.js";
import type { Setting } from "./config/setting.js";

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
};

type ValueOf<S> = S extends Setting<infer T> ? T : never;
type TableValues = { readonly [K in keyof typeof table]: ValueOf<(typeof table)[K]> };
type Derived = "domain" | "baseUrl" | "masterKeyFile";

/**
 * Every setting of the environment, in camelCase: `maxAddressesPrefixFlow` is MAX_ADDRESSES_PREFIX_FLOW. What an admin
 * can change at run time is not here but in the settings room; `seeds` holds its values for the first start.
 */
export interface Config extends Omit<TableValues, Derived> {
  readonly domain: string;
  readonly baseUrl: string;
  readonly masterKeyFile: string;
  readonly seeds: Seeds;
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
  const values = readAll(table, env, { variable: variableName, problems }) as TableValues;
  const seeds = readSeeds(env, problems);
  problems.push(...unknownSeeds(env), ...contradictions(values));
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...values, ...derive(values), seeds };
}

/** The names of all variables that the server reads. */
export function variableNames(): string[] {
  return [...Object.keys(table).map(variableName), ...Object.keys(settingsTree).map(seedVariable)];
}

/** The help text: all variables by group, with form, default and meaning. */
export function describeSettings(): string {
  const parts = Object.entries(groups).map(([title, group]) => describeGroup(title, group, variableName));
  const title = "First values of the admin configuration (read at the first start only)";
  return [...parts, describeGroup(title, settingsTree, seedVariable)].join("\n\n");
}

/** `maxAddressesPrefixFlow` -> `MAX_ADDRESSES_PREFIX_FLOW`. */
function variableName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

type Rows = Readonly<Record<string, Setting<unknown>>>;

function readAll(
  rows: Rows,
  env: Readonly<Record<string, string | undefined>>,
  into: { variable: (name: string) => string; problems: string[] },
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(rows)) {
    const variable = into.variable(name);
    values[name] = readOne(setting, { variable, text: env[variable]?.trim() ?? "", problems: into.problems });
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

function readSeeds(env: Readonly<Record<string, string | undefined>>, problems: string[]): Seeds {
  const all = readAll(settingsTree, env, { variable: seedVariable, problems });
  const given = Object.entries(all).filter(([key]) => (env[seedVariable(key)]?.trim() ?? "") !== "");
  return Object.fromEntries(given) as Seeds;
}

/** The seeds are the one family of names that is ours alone, so a typo among them can be told. */
function unknownSeeds(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set(Object.keys(settingsTree).map(seedVariable));
  const strangers = Object.keys(env).filter((name) => name.startsWith("SEED_") && !known.has(name));
  return strangers.map((name) => `${name} seeds no key of the admin configuration`);
}

/** Pairs that make sense only in order, lower first. */
const ordered = [
  ["pollDefaultLimit", "pollMaxLimit"],
  ["auditDefaultLimit", "auditMaxLimit"],
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

function describeGroup(title: string, rows: Rows, variable: (name: string) => string): string {
  const lines = Object.entries(rows).map(([name, setting]) => {
    const about = `${setting.description} (${setting.form}; default ${setting.shownFallback})`;
    return `  ${variable(name).padEnd(38)} ${about}`;
  });
  return [`${title}:`, ...lines].join("\n");
}
