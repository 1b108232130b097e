import { type Contract, operationsOf, type Schema } from "./contract.js";
import { writeGenerated } from "./output.js";

/** Writes the settings of administrators with their types, ranges, defaults and descriptions, as the contract has them. */
export async function writeSettingsTable({ components: { schemas } }: Contract, root: URL): Promise<void> {
  const groups = Object.entries(schemas["ServerConfig"]?.properties ?? {}).map(([group, { $ref }]) => {
    const { properties = {} } = schemas[String($ref).split("/").at(-1) ?? ""] ?? {};
    return [group, Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, ruleOf(schema)]))];
  });
  const table = JSON.stringify(Object.fromEntries(groups), null, 2);
  await writeGenerated(root, "settings.ts", `export const settingsTable = ${table} as const;\n`);
}

function ruleOf(schema: Schema): object {
  const { type, enum: choices, default: initial, description, minimum, maximum, minLength, maxLength } = schema;
  if (choices !== undefined) return { kind: "choice", initial, choices, description };
  if (type === "boolean") return { kind: "flag", initial, description };
  if (type === "string") return { kind: "text", initial, minimum: minLength, maximum: maxLength, description };
  return { kind: type, initial, minimum, maximum, description };
}

/** Writes the names of the limits that answers report in their headers. */
export async function writeLimitNames(contract: Contract, root: URL): Promise<void> {
  const names = operationsOf(contract).flatMap(({ operation }) => operation["x-rate-limits"] ?? []);
  const union = [...new Set(names)].sort().map((name) => JSON.stringify(name));
  await writeGenerated(root, "limits.ts", `export type LimitInHeaders =\n  | ${union.join("\n  | ")};\n`);
}

/** Writes the lists of reasons that the contract names. */
export async function writeReasons({ components: { schemas } }: Contract, root: URL): Promise<void> {
  const listOf = (schema: string) => JSON.stringify(schemas[schema]?.enum ?? []);
  await writeGenerated(
    root,
    "reasons.ts",
    `/** Why a message is reported, and why a server is blocked. */
export const reasons = ${listOf("BlockReasonCategory")} as const;

/** How much harm is expected from a blocked server. */
export const severities = ${listOf("BlockSeverity")} as const;
`,
  );
}
