import type { Catalogue, CatalogueEntry } from "./catalogue.js";
import { writeGenerated } from "./output.js";

/** Writes the error catalogue as a typed table. */
export async function writeErrorTable(catalogue: Catalogue, root: URL): Promise<void> {
  const entries = [...catalogue.values()].map((entry) => `  ${entry.id}: ${literal(entry)},`);
  const statuses = [...catalogue.values()].map(({ error, status }) => [error, status] as const);
  await writeGenerated(
    root,
    "errors.ts",
    `export interface CatalogueEntry {
  /** The name on the wire. */
  readonly error: string;
  readonly code: number;
  readonly status: number;
  readonly meaning: string;
  /** Members that a body of this error may carry besides error, message and code. */
  readonly extras: readonly string[];
  /** Response headers sent with it. */
  readonly headers: readonly string[];
  /** Whether \`x-error\` names the entry for a value of a wrong type as well. */
  readonly wrongTypes: boolean;
}

export const errorCatalogue = {
${entries.join("\n")}
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorId = keyof typeof errorCatalogue;

/** The HTTP status of each name on the wire: for clients, which do without the rest. */
export const errorStatuses = ${JSON.stringify(Object.fromEntries(statuses))} as const;

export type ErrorName = keyof typeof errorStatuses;
`,
  );
}

function literal({ id: _, ...entry }: CatalogueEntry): string {
  const { error, code, status, meaning, extras, headers, wrongTypes } = entry;
  return JSON.stringify({ error, code, status, meaning, extras, headers, wrongTypes });
}
