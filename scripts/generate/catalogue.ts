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
  meaning: string;
}

export type Catalogue = ReadonlyMap<string, CatalogueEntry>;

type Written = Omit<CatalogueEntry, "extras" | "headers"> & Partial<Pick<CatalogueEntry, "extras" | "headers">>;

/** The error catalogue by id, in the order of the file. */
export async function readCatalogue(root: URL): Promise<Catalogue> {
  const text = await readFile(new URL("spec/errors.yaml", root), "utf8");
  const { errors } = parse(text) as { errors: Written[] };
  const catalogue = new Map(errors.map((entry) => [entry.id, { extras: [], headers: [], ...entry }]));
  if (catalogue.size !== errors.length) throw new Error("spec/errors.yaml: an id is used twice");
  return catalogue;
}
