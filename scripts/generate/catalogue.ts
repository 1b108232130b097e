import { readFile } from "node:fs/promises";
import { parse } from "yaml";

/** One entry of `spec/errors.yaml`. */
export interface CatalogueEntry {
  id: string;
  error: string;
  code: number;
  status: number;
  extras: string[];
  headers: string[];
  /** Whether `x-error` also names the entry for a value of a wrong type. */
  wrongTypes: boolean;
  meaning: string;
}

export type Catalogue = ReadonlyMap<string, CatalogueEntry>;

type Optional = "extras" | "headers" | "wrongTypes";
type Written = Omit<CatalogueEntry, Optional> & Partial<Pick<CatalogueEntry, Optional>>;

/** The error catalogue by id, in the order of the file. */
export async function readCatalogue(root: URL): Promise<Catalogue> {
  const text = await readFile(new URL("spec/errors.yaml", root), "utf8");
  const { errors } = parse(text) as { errors: Written[] };
  const catalogue = new Map(
    errors.map((entry) => [entry.id, { extras: [], headers: [], wrongTypes: false, ...entry }]),
  );
  if (catalogue.size !== errors.length) throw new Error("spec/errors.yaml: an id is used twice");
  return catalogue;
}
