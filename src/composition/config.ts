import { adminConstants, adminSettings } from "../admin/config.js";
import { auditSettings } from "../audit/config.js";
import { tokenConstants, tokenSettings } from "../auth/config.js";
import { backupSettings } from "../backup/config.js";
import { blobConstants, blobSettings } from "../blobs/config.js";
import { databaseConstants, databaseSettings } from "../database/config.js";
import { deviceSettings } from "../devices/config.js";
import { federationConstants, federationSettings } from "../federation/model/config.js";
import { outboxConstants, outboxSettings } from "../federation/outbox/config.js";
import { alertSettings, healthConstants } from "../health/config.js";
import { httpConstants, httpSettings } from "../http/request/config.js";
import { infoPackageConstants, infoPackageSettings } from "../infopackages/config.js";
import { keyPackageConstants, keyPackageSettings } from "../keypackages/config.js";
import { rateLimitConstants } from "../limits/config.js";
import { ingestConstants, ingestSettings } from "../messages/ingest/config.js";
import { messageConstants, messageSettings } from "../messages/model/config.js";
import { presenceConstants } from "../messages/presence/config.js";
import { queueConstants, queueSettings } from "../messages/queue/config.js";
import { metricsConstants } from "../metrics/config.js";
import { spamConstants, spamSettings } from "../moderation/config.js";
import { busSettings, nodeConstants, resolverConstants, resolverSettings } from "../node/config.js";
import { isLoopbackName, serverName } from "../platform/config/checks.js";
import { acmeFolder, type ServerConfig, serverConstants, serverSettings } from "../platform/config/server.js";
import type { Setting, ValuesOf } from "../platform/config/setting.js";
import { findSimilarNames, type SimilarName } from "../platform/config/similar-names.js";
import {
  ConfigError,
  describeVariable,
  seedPrefix,
  type VariableDescription,
  variableName,
} from "../platform/config/variables.js";
import { tracingConstants, tracingSettings } from "../platform/tracing/config.js";
import { provisioningConstants, provisioningSettings } from "../provisioning/config.js";
import { pushConstants, pushSettings } from "../push/config.js";
import { registrationConstants, registrationSettings } from "../registration/config.js";
import { type MachinePreset, machinePresets } from "../settings/machine-presets.js";
import { type Preset, presets } from "../settings/presets.js";
import { slotConstants, slotSettings } from "../slots/config.js";
import { streamConstants, streamSettings } from "../stream/config.js";

/** Holds a JSON object of constants and variables by name, for tests and tools that start a relay as a process. Operators do not use it. */
const constantsVariable = "RELAY_CONSTANTS";

const variableGroups = {
  Server: serverSettings,
  Database: { ...databaseSettings, ...busSettings },
  "HTTP bodies and connections": httpSettings,
  "Tokens and signed requests": tokenSettings,
  Registration: { ...registrationSettings, ...deviceSettings },
  "Spam reports": spamSettings,
  "Device linking and info packages": { ...provisioningSettings, ...infoPackageSettings },
  "Commit slots": slotSettings,
  Blobs: blobSettings,
  "Wake-up pushes": pushSettings,
  "Messages and queues": { ...messageSettings, ...queueSettings, ...ingestSettings },
  Stream: streamSettings,
  Federation: { ...federationSettings, ...resolverSettings, ...keyPackageSettings },
  Outbox: outboxSettings,
  Administration: { ...adminSettings, ...auditSettings },
  "Monitoring and alerts": { ...tracingSettings, ...alertSettings },
  Backups: backupSettings,
};

/** Read from the environment, in SNAKE_CASE. */
const variables = Object.assign({}, ...Object.values(variableGroups)) as AllOf<typeof variableGroups>;

/** The members of all members. */
type AllOf<Groups> =
  { [Group in keyof Groups]: (group: Groups[Group]) => void } extends Record<keyof Groups, (all: infer All) => void>
    ? All
    : never;

/** Values that are not read from the environment, because no operator has a reason to change them. */
const constants = {
  ...serverConstants,
  ...databaseConstants,
  ...nodeConstants,
  ...resolverConstants,
  ...httpConstants,
  ...rateLimitConstants,
  ...tokenConstants,
  ...registrationConstants,
  ...keyPackageConstants,
  ...provisioningConstants,
  ...infoPackageConstants,
  ...slotConstants,
  ...blobConstants,
  ...pushConstants,
  ...messageConstants,
  ...ingestConstants,
  ...queueConstants,
  ...presenceConstants,
  ...streamConstants,
  ...spamConstants,
  ...federationConstants,
  ...outboxConstants,
  ...adminConstants,
  ...tracingConstants,
  ...metricsConstants,
  ...healthConstants,
};

type TableValues = ValuesOf<typeof variables & typeof constants>;
type Derived = Pick<Config, "domain" | "baseUrl" | "masterKeyFile" | "tlsCertFile" | "tlsKeyFile" | "preset">;
type Environment = Readonly<Record<string, string | undefined>>;

/** Values of constants and variables, by the name of the member. */
export type Constants = Partial<TableValues>;

/**
 * The configuration of a node, in camelCase: `connectionsPerIp` is the variable CONNECTIONS_PER_IP. Constants are
 * members, too, so that tests can change them. What an administrator can change at run time is in the settings module,
 * which takes its first values from `seeds`: the unparsed variables with the prefix SEED_, by name.
 */
export interface Config extends ServerConfig, Omit<TableValues, keyof ServerConfig> {
  /** The preset of PRESET for a kind of machine. */
  readonly machinePreset: MachinePreset | null;
  readonly seeds: Readonly<Record<string, string>>;
}

/** Reads the configuration; an empty variable counts as not set. Throws a ConfigError that lists all problems. */
export function loadConfig(env: Environment): Config {
  const problems = decisiveMisspellings(env);
  const machinePreset = machinePresetOf(env);
  const given = { ...machinePreset?.variables, ...settingsPresetOf(env)?.variables, ...onlySet(env) };
  const byName = {
    ...machinePreset?.constants,
    ...readConstantsVariable(given[constantsVariable]?.trim() ?? "", problems),
  };
  const values = { ...readVariables(given, { byName, problems }), ...readConstants(byName, problems) } as TableValues;
  problems.push(...contradictions(values));
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...values, ...derive(values), machinePreset, seeds: collectSeeds(given) };
}

/** The environment that gives a relay process these constants. For tests and tools. */
export function constantsEnvironment(values: Constants): Record<string, string> {
  return { [constantsVariable]: JSON.stringify(values) };
}

/** The names of all variables that are read, except for the seeds. */
export function variableNames(): string[] {
  return Object.keys(variables).map(variableName);
}

/** Environment variables that are not read but whose names resemble a variable that is read, or one of `others`. */
export function misspeltVariables(env: Environment, others: readonly string[] = []): SimilarName[] {
  const given = Object.entries(onlySet(env)).filter(
    ([name]) => name !== constantsVariable && !name.startsWith(seedPrefix),
  );
  return findSimilarNames(Object.fromEntries(given), [...variableNames(), ...others]);
}

/**
 * Variables that say where data is, and the name that addresses contain. A relay that starts without one of them
 * creates a new database, key or name, so a misspelling is refused if the variable itself is not set.
 */
const decisive = [
  ...["domain", "dataDir", "databaseUrl", "readDatabaseUrl", "backupDir"],
  ...["masterKey", "masterKeyNext", "masterKeyFile"],
] as readonly (keyof typeof variables)[];

function decisiveMisspellings(env: Environment): string[] {
  const names = decisive.map(variableName);
  const found = misspeltVariables(env).filter(({ meant }) => names.includes(meant) && (env[meant] ?? "").trim() === "");
  return found.map(({ variable, meant }) => `${variable} is not read: correct its name to ${meant}, or remove it`);
}

/** All variables, each with its group. */
export function listVariables(): (VariableDescription & { group: string })[] {
  return Object.entries(variableGroups).flatMap(([group, table]) =>
    Object.entries(table as Rows).map(([name, { description, form, shownFallback }]) => ({
      group,
      variable: variableName(name),
      description,
      form,
      fallback: shownFallback,
    })),
  );
}

/** All constants, by the name that RELAY_CONSTANTS uses. */
export function listConstants(): VariableDescription[] {
  return Object.entries(constants as Rows).map(([name, { description, form, shownFallback }]) => ({
    variable: name,
    description,
    form,
    fallback: shownFallback,
  }));
}

/** The help text: all variables by group, with form, default and meaning. */
export function describeSettings(): string {
  return Object.entries(variableGroups)
    .map(([title, group]) => describeGroup(title, group))
    .join("\n\n");
}

const common = [
  ...["domain", "baseUrl", "host", "port", "acmeDirectory", "tlsCertFile", "tlsKeyFile", "trustedProxies"],
  ...["databaseUrl", "dataDir", "masterKeyFile", "adminList", "preset", "logLevel"],
  ...["federationCertFile", "federationKeyFile"],
  ...["backupDir", "backupEvery"],
] as readonly (keyof typeof variables)[];
const commonWidth = 24;

/** The variables that matter first, one per line: `  DOMAIN   The server's name [localhost:<PORT>]`. */
export function describeCommonSettings(): string {
  return common
    .map((name) => {
      const { description, shownFallback } = variables[name];
      return `  ${variableName(name).padEnd(commonWidth)} ${description} [${shownFallback}]`;
    })
    .join("\n");
}

type Rows = Readonly<Record<string, Setting<unknown>>>;

/** The preset of settings that PRESET names. A name that does not exist is refused later, with all names. */
function settingsPresetOf(env: Environment): Preset | undefined {
  const name = variables.preset.parse(env["PRESET"] ?? "").find((one) => Object.hasOwn(presets, one));
  return name === undefined ? undefined : presets[name];
}

/** The preset for a machine among those that PRESET names. */
function machinePresetOf(env: Environment): MachinePreset | null {
  const name = variables.preset.parse(env["PRESET"] ?? "").find((one) => Object.hasOwn(machinePresets, one));
  return name === undefined ? null : (machinePresets[name] ?? null);
}

function onlySet(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, text]) => (text?.trim() ?? "") !== ""));
}

/** A variable that is not set may be given by its name, as a constant is. */
function readVariables(
  env: Environment,
  { byName, problems }: { byName: Readonly<Record<string, unknown>>; problems: string[] },
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(variables)) {
    const variable = variableName(name);
    const text = env[variable]?.trim() ?? "";
    const given =
      text === "" ? { name: `${constantsVariable} ${name}`, text: textOf(byName[name]) } : { name: variable, text };
    values[name] = readOne(setting, { ...given, problems });
  }
  return values;
}

function textOf(value: unknown): string {
  return String(value ?? "").trim();
}

function readConstants(given: Readonly<Record<string, unknown>>, problems: string[]): Record<string, unknown> {
  const rows: Rows = constants;
  for (const name of Object.keys(given)) {
    const isKnown = Object.hasOwn(rows, name) || Object.hasOwn(variables, name);
    if (!isKnown) problems.push(`${constantsVariable} names no constant: ${name}`);
  }
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(rows)) {
    values[name] = readOne(setting, { name: `${constantsVariable} ${name}`, text: textOf(given[name]), problems });
  }
  return values;
}

function readConstantsVariable(text: string, problems: string[]): Record<string, unknown> {
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported with all other values that are not objects.
  }
  problems.push(`${constantsVariable} must be a JSON object`);
  return {};
}

function readOne(setting: Setting<unknown>, given: { name: string; text: string; problems: string[] }): unknown {
  if (given.text === "") return setting.fallback;
  try {
    return setting.parse(given.text);
  } catch (problem) {
    given.problems.push(`${given.name} ${problem instanceof Error ? problem.message : String(problem)}`);
    return setting.fallback;
  }
}

function collectSeeds(env: Environment): Record<string, string> {
  const seeds: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const text = value?.trim() ?? "";
    if (name.startsWith(seedPrefix) && text !== "") seeds[name] = text;
  }
  return seeds;
}

/** Pairs of constants that only make sense in order, the lower first. */
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

/** A variable is named as in the environment. */
function shownName(name: string): string {
  return Object.hasOwn(variables, name) ? variableName(name) : `${constantsVariable} ${name}`;
}

function contradictions(values: TableValues): string[] {
  const problems = ordered
    .filter(([low, high]) => values[low] > values[high])
    .map(([low, high]) => `${shownName(low)} must not be above ${shownName(high)}`);
  if (values.tlsCertFile !== null && values.tlsKeyFile === null) problems.push("TLS_KEY_FILE is missing");
  if (values.tlsKeyFile !== null && values.tlsCertFile === null) problems.push("TLS_CERT_FILE is missing");
  if ((values.federationCertFile === null) !== (values.federationKeyFile === null)) {
    problems.push("FEDERATION_CERT_FILE and FEDERATION_KEY_FILE belong together: set both or none");
  }
  if (values.alertWebhookUrl !== null && values.alertWebhookSecret === null) {
    problems.push("ALERT_WEBHOOK_SECRET is missing");
  }
  if (values.blobStorage === "s3" && values.blobS3Bucket === null) problems.push("BLOB_S3_BUCKET is missing");
  if (values.alertMailTo.length > 0 && values.smtpUrl === null) problems.push("SMTP_URL is missing");
  if (settingsPresets(values).length > 1) problems.push("PRESET names more than one preset of settings");
  if (values.acmeDirectory !== null) problems.push(...acmeContradictions(values));
  if (values.masterKey !== null && values.masterKeyFile !== null) {
    problems.push("MASTER_KEY_FILE contradicts MASTER_KEY: set one of them");
  }
  return problems;
}

function acmeContradictions({ tlsCertFile, domain }: TableValues): string[] {
  const problems: string[] = [];
  if (tlsCertFile !== null) problems.push("ACME_DIRECTORY contradicts TLS_CERT_FILE: set one of them");
  if (domain === null) problems.push("ACME_DIRECTORY needs DOMAIN: a certificate is for a name");
  return problems;
}

function settingsPresets({ preset }: TableValues): string[] {
  return preset.filter((name) => !Object.hasOwn(machinePresets, name));
}

function derive(values: TableValues): Derived {
  const scheme = values.tlsCertFile === null && values.acmeDirectory === null ? "http" : "https";
  const issued = values.acmeDirectory === null ? null : acmeFolder(values.dataDir);
  const domain = values.domain === null ? `localhost:${values.port}` : serverName(values.domain);
  // Usually no proxy with a certificate stands before a name of this machine.
  const publicUrl = isLoopbackName(domain) ? `${scheme}://${withPort(domain, values.port)}` : `https://${domain}`;
  return {
    domain,
    baseUrl: new URL(values.baseUrl ?? publicUrl).origin,
    tlsCertFile: issued === null ? values.tlsCertFile : `${issued}/certificate.pem`,
    tlsKeyFile: issued === null ? values.tlsKeyFile : `${issued}/key.pem`,
    preset: settingsPresets(values)[0] ?? null,
    masterKeyFile: values.masterKeyFile ?? `${values.dataDir.replace(/\/+$/, "")}/master.key`,
  };
}

function withPort(domain: string, port: number): string {
  return /:\d+$/.test(domain) ? domain : `${domain}:${port}`;
}

function describeGroup(title: string, rows: Rows): string {
  const lines = Object.entries(rows).map(([name, { description, form, shownFallback }]) =>
    describeVariable(variableName(name), { description, form, fallback: shownFallback }),
  );
  return [`${title}:`, ...lines].join("\n");
}
