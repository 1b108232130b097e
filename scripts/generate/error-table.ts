import type { Catalogue, CatalogueEntry } from "./catalogue.js";
import { writeGenerated } from "./output.js";

/** Writes the error catalogue as a typed table. */
export async function writeErrorTable(catalogue: Catalogue, root: URL): Promise<void> {
  const entries = [...catalogue.values()].map((entry) => `  ${entry.id}: ${literal(entry)},`);
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
}

export const errorCatalogue = {
${entries.join("\n")}
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorId = keyof typeof errorCatalogue;
`,
  );
}

function literal({ id: _, ...entry }: CatalogueEntry): string {
  const { error, code, status, meaning, extras, headers } = entry;
  return JSON.stringify({ error, code, status, meaning, extras, headers });
}
