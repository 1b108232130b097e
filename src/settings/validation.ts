import { RelayError } from "../protocol/errors.js";
import { rulesByName, type ServerSettings, type SettingRule, type SettingsPatch, type SettingValue } from "./table.js";

/** Values by dotted name, for instance `registration.mode`. */
export type SettingValues = ReadonlyMap<string, SettingValue>;

interface Fault {
  path: string;
  message: string;
}

/**
 * The values of a partial tree by dotted name, in the order they were sent. A value of the wrong type is
 * INVALID_REQUEST, an unknown key or a value out of range INVALID_CONFIG; either names every fault of its kind.
 */
export function readPatch(patch: SettingsPatch): SettingValues {
  const mistyped: Fault[] = [];
  const refused: Fault[] = [];
  const values = new Map<string, SettingValue>();
  for (const [name, value] of dottedEntries(patch, { mistyped, refused })) {
    const rule = rulesByName.get(name);
    if (rule === undefined) refused.push({ path: name, message: "there is no such configuration key" });
    else if (!hasType(rule, value)) mistyped.push({ path: name, message: `must be ${typeNames[rule.kind]}` });
    else if (!isInRange(rule, value)) refused.push({ path: name, message: `must be ${rangeText(rule)}` });
    else values.set(name, value);
  }
  refuse("INVALID_REQUEST", mistyped);
  refuse("INVALID_CONFIG", refused);
  return values;
}

/** The whole tree; a key without a stored value, or with one that no longer fits, has its initial one. */
export function buildSettings(stored: ReadonlyMap<string, unknown>): ServerSettings {
  const tree: Record<string, Record<string, SettingValue>> = {};
  for (const [name, rule] of rulesByName) {
    const [group, key] = name.split(".") as [string, string];
    const value = stored.get(name);
    tree[group] ??= {};
    tree[group][key] = hasType(rule, value) && isInRange(rule, value) ? value : rule.initial;
  }
  return tree as unknown as ServerSettings;
}

/** Whether a value of the right type lies within the rule's bounds. */
export function isInRange(rule: SettingRule<SettingValue>, value: SettingValue): boolean {
  if (rule.kind === "choice") return rule.choices?.includes(value as string) === true;
  if (typeof value === "boolean") return true;
  if (typeof value === "string" && controlCharacters.test(value)) return false;
  const size = typeof value === "string" ? [...value].length : value;
  return size >= (rule.minimum ?? 0) && size <= (rule.maximum ?? Number.POSITIVE_INFINITY);
}

/** What a rule's values look like, for messages and the help text. */
export function rangeText(rule: SettingRule<SettingValue>): string {
  if (rule.kind === "flag") return "true or false";
  if (rule.kind === "choice") return rule.choices?.join(" | ") ?? "";
  const unit = rule.kind === "text" ? "text with a length of" : rule.kind;
  return `${unit} ${rule.minimum}..${rule.maximum}`;
}

const typeNames = {
  flag: "a boolean",
  integer: "an integer",
  number: "a number",
  text: "a string",
  choice: "a string",
};

const controlCharacters = /\p{Cc}/u;

function hasType(rule: SettingRule<SettingValue>, value: unknown): value is SettingValue {
  if (rule.kind === "flag") return typeof value === "boolean";
  if (rule.kind === "integer") return Number.isSafeInteger(value);
  return rule.kind === "number" ? Number.isFinite(value) : typeof value === "string";
}

function* dottedEntries(
  patch: object,
  faults: { mistyped: Fault[]; refused: Fault[] },
): Generator<readonly [string, unknown]> {
  for (const [group, keys] of Object.entries(patch)) {
    if (keys === undefined) continue;
    if (!groups.has(group)) faults.refused.push({ path: group, message: "there is no such configuration group" });
    else if (!isPlainObject(keys)) faults.mistyped.push({ path: group, message: "must be an object" });
    else yield* Object.entries(keys).map(([key, value]) => [`${group}.${key}`, value] as const);
  }
}

const groups = new Set([...rulesByName.keys()].map((name) => name.slice(0, name.indexOf("."))));

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** As the contract's error body has it. */
const longestMessage = 1000;
const maxFaults = 100;

function refuse(id: "INVALID_REQUEST" | "INVALID_CONFIG", faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const message = faults.map((fault) => `${fault.path} ${fault.message}`).join("; ");
  throw new RelayError(id, message.slice(0, longestMessage), { extras: { details: faults.slice(0, maxFaults) } });
}
