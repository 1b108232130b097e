import { fileURLToPath } from "node:url";
import { bundle, createConfig } from "@redocly/openapi-core";
import type { Contract } from "./contract.js";
import { operationsOf } from "./contract.js";

/**
 * Reads `spec/openapi.yaml` with all that it refers to as one document, whose references are all internal.
 * Fails on a reference that does not resolve, on two schemas of one name, and on a doubled operationId.
 */
export async function bundleContract(root: URL): Promise<Contract> {
  const ref = fileURLToPath(new URL("spec/openapi.yaml", root));
  const { bundle: document, problems } = await bundle({ ref, config: await createConfig({}) });
  const errors = problems.filter((problem) => problem.severity === "error");
  if (errors.length > 0) throw new Error(errors.map((problem) => problem.message).join("\n"));
  const contract = structuredClone(document.parsed) as Contract;
  refuseClashes(contract);
  sortSchemas(contract);
  return contract;
}

/** The bundler numbers the second of two different schemas with one name (`Message-2`). */
function refuseClashes(contract: Contract): void {
  for (const name of Object.keys(contract.components.schemas)) {
    if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) throw new Error(`schema ${name}: two of one name, or not in PascalCase`);
  }
  const ids = operationsOf(contract).map(({ operation }) => operation.operationId);
  const doubled = ids.find((id, index) => ids.indexOf(id) !== index);
  if (doubled !== undefined) throw new Error(`operationId ${doubled} is used twice`);
}

/** Bundling order follows first use; by name, a new use does not move the rest. */
function sortSchemas(contract: Contract): void {
  const entries = Object.entries(contract.components.schemas);
  contract.components.schemas = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
