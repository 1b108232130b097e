import { fileURLToPath } from "node:url";
import { bundle, createConfig } from "@redocly/openapi-core";
import type { Contract } from "./contract.js";
import { operationsOf } from "./contract.js";
import { expandChanges } from "./expand-changes.js";

/**
 * Reads `spec/openapi.yaml` and the files that it refers to as one document with internal references only.
 * Throws on a reference that does not resolve, on two schemas with one name, and on a duplicate operationId.
 */
export async function bundleContract(root: URL): Promise<Contract> {
  const ref = fileURLToPath(new URL("spec/openapi.yaml", root));
  const { bundle: document, problems } = await bundle({ ref, config: await createConfig({}) });
  const errors = problems.filter((problem) => problem.severity === "error");
  if (errors.length > 0) throw new Error(errors.map((problem) => problem.message).join("\n"));
  const contract = structuredClone(document.parsed) as Contract;
  expandChanges(contract);
  rejectClashes(contract);
  sortSchemas(contract);
  return contract;
}

/** The bundler numbers the second of two different schemas with one name (`Message-2`). */
function rejectClashes(contract: Contract): void {
  for (const name of Object.keys(contract.components.schemas)) {
    if (!/^[A-Z][A-Za-z0-9]*$/.test(name))
      throw new Error(`schema ${name}: the name is used twice or is not in PascalCase`);
  }
  const ids = operationsOf(contract).map(({ operation }) => operation.operationId);
  const duplicate = ids.find((id, index) => ids.indexOf(id) !== index);
  if (duplicate !== undefined) throw new Error(`operationId ${duplicate} is used twice`);
}

/** The bundler orders schemas by first use. Ordering them by name keeps a new use from moving the others. */
function sortSchemas(contract: Contract): void {
  const entries = Object.entries(contract.components.schemas);
  contract.components.schemas = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
