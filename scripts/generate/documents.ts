import { Converter } from "@apiture/openapi-down-convert";
import { stringify } from "yaml";
import type { Contract } from "./contract.js";
import { writeGenerated } from "./output.js";

/** Writes the bundled contract as JSON and YAML, and converted down for tools that read OpenAPI 3.0 only. */
export async function writeDocuments(contract: Contract, root: URL): Promise<void> {
  await writeGenerated(root, "openapi.json", JSON.stringify(contract, null, 2));
  await writeGenerated(root, "openapi.yaml", stringify(contract, { lineWidth: 120, aliasDuplicateObjects: false }));
  await writeGenerated(root, "openapi-3.0.json", JSON.stringify(convertDown(contract), null, 2));
}

/** The contract in OpenAPI 3.0.3: `nullable` for null types, `example` for schema examples. */
export function convertDown(contract: Contract): object {
  const copy = structuredClone(contract);
  // The converter leaves the summary, which 3.0 does not know.
  delete copy.info.summary;
  return new Converter(copy, { allOfTransform: true }).convert() as object;
}
