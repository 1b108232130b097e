import { Converter } from "@apiture/openapi-down-convert";
import { stringify } from "yaml";
import type { Contract, Operation } from "./contract.js";
import { operationsOf } from "./contract.js";
import { writeGenerated } from "./output.js";
import { published } from "./publish/publish.js";

/**
 * Writes the contract twice: closed, as the relay checks its own answers, and published, as JSON, as YAML, and converted
 * down for tools that read OpenAPI 3.0 only.
 */
export async function writeDocuments(closed: Contract, root: URL): Promise<void> {
  const contract = published(closed);
  await writeGenerated(root, "contract.json", JSON.stringify(closed, null, 2));
  await writeGenerated(root, "openapi.json", JSON.stringify(contract, null, 2));
  await writeGenerated(root, "openapi.yaml", stringify(contract, { lineWidth: 120, aliasDuplicateObjects: false }));
  await writeGenerated(root, "openapi-3.0.json", JSON.stringify(convertDown(contract), null, 2));
}

/** The contract in OpenAPI 3.0.3: `nullable` for null types, `example` for schema examples. */
export function convertDown(contract: Contract): object {
  const copy = structuredClone(contract);
  // The converter leaves the summary and the licence's identifier, which 3.0 does not know.
  delete copy.info.summary;
  copy.info.license = { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" };
  for (const { operation } of operationsOf(copy)) nameErrorRanges(operation);
  return new Converter(copy, { allOfTransform: true }).convert() as object;
}

/** Generators of the time of 3.0 take a `default` beside a named success for another form of that success. */
function nameErrorRanges({ responses }: Operation): void {
  const { default: unexpected } = responses;
  if (unexpected === undefined) return;
  delete responses["default"];
  Object.assign(responses, { "4XX": unexpected, "5XX": unexpected });
}
