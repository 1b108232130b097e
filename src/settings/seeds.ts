import type { Database } from "../database/db.js";
import { ConfigError, describeVariable, seedPrefix, type VariableDescription } from "../platform/config/variables.js";
import { insertMissing, raiseVersion } from "./store.js";
import { rulesByName, type SettingRule, type SettingsPatch, type SettingValue } from "./table.js";
import { isInRange, rangeText, readPatch } from "./validation.js";

/**
 * The values that the environment gives the settings at the first start: `registration.mode` is seeded by
 * SEED_REGISTRATION_MODE. Later starts find the settings in the database and ignore them. Throws a ConfigError that
 * names each variable at fault, unknown ones included.
 */
export function readSeeds(variables: Readonly<Record<string, string>>): SettingsPatch {
  const names = new Map([...rulesByName.keys()].map((name) => [seedVariable(name), name]));
  return readTexts(variables, (variable) => names.get(variable) ?? "");
}

/**
 * The first start writes the whole tree; a later one only adds keys that a newer version of the relay brought, so what the database has
 * comes before the environment.
 */
export async function seedSettings(db: Database, seeds: SettingsPatch, now: number): Promise<void> {
  const initial = [...rulesByName].map(([name, rule]) => [name, rule.initial] as const);
  const values = new Map<string, SettingValue>([...initial, ...readPatch(seeds)]);
  await db.transaction(async (transaction) => {
    if ((await insertMissing(transaction, values, now)) > 0) await raiseVersion(transaction);
  });
}

/** A partial tree from texts, by dotted name unless `nameOf` says otherwise. Throws a ConfigError that names all faults. */
export function readTexts(
  texts: Readonly<Record<string, string>>,
  nameOf: (label: string) => string = (label) => label,
): SettingsPatch {
  const patch: Record<string, Record<string, SettingValue>> = {};
  const problems: string[] = [];
  for (const [label, text] of Object.entries(texts)) {
    const name = nameOf(label);
    const rule = rulesByName.get(name);
    const value = rule && readValue(rule, text);
    const [group = "", key = ""] = name.split(".");
    if (rule === undefined) problems.push(`${label} names no setting`);
    else if (value === undefined) problems.push(`${label} must be ${rangeText(rule)}`);
    else patch[group] = { ...patch[group], [key]: value };
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return patch as SettingsPatch;
}

/** The help text about the variables that seed the settings. */
export function describeSeeds(): string {
  const lines = listSeeds().map(({ variable, ...about }) => describeVariable(variable, about));
  return ["First values of the settings (read at the first start only; changed later by an admin):", ...lines].join(
    "\n",
  );
}

/** All variables that seed a setting. */
export function listSeeds(): VariableDescription[] {
  return [...rulesByName].map(([name, rule]) => ({
    variable: seedVariable(name),
    description: rule.description,
    form: rangeText(rule),
    fallback: String(rule.initial),
  }));
}

/** The names of all variables that seed a setting. */
export function seedVariables(): string[] {
  return [...rulesByName.keys()].map(seedVariable);
}

function seedVariable(name: string): string {
  return `${seedPrefix}${name.replace(".", "_").toUpperCase()}`;
}

function readValue(rule: SettingRule<SettingValue>, text: string): SettingValue | undefined {
  switch (rule.kind) {
    case "flag":
      return text === "true" || text === "false" ? text === "true" : undefined;
    case "choice":
      return rule.choices?.includes(text) ? text : undefined;
    case "text":
      return isInRange(rule, text) ? text : undefined;
    case "integer":
      return /^\d{1,15}$/.test(text) && isInRange(rule, Number(text)) ? Number(text) : undefined;
    case "number":
      return /^\d{1,9}(\.\d{1,9})?$/.test(text) && isInRange(rule, Number(text)) ? Number(text) : undefined;
  }
}
