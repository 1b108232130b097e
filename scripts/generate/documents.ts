import { Converter } from "@apiture/openapi-down-convert";
import { stringify } from "yaml";
import type { Contract } from "./contract.js";
import { writeGenerated } from "./output.js";
import { dropDefaultAnswers } from "./publish/default-answers.js";
import { published } from "./publish/publish.js";

/**
 * Writes the contract in two forms: closed, against which the relay checks its own answers, and published, as JSON, as
 * YAML, and as OpenAPI 3.0 for tools that read only that.
 */
export async function writeDocuments(closed: Contract, root: URL): Promise<void> {
  const contract = published(closed);
  await writeGenerated(root, "contract.json", JSON.stringify(closed, null, 2));
  await writeGenerated(root, "openapi.json", JSON.stringify(contract, null, 2));
  await writeGenerated(root, "openapi.yaml", stringify(contract, { lineWidth: 120, aliasDuplicateObjects: false }));
  await writeGenerated(root, "openapi-3.0.json", JSON.stringify(toOpenApi30(contract), null, 2));
}

/** The contract in OpenAPI 3.0.3: `nullable` for null types, `example` for schema examples. */
function toOpenApi30(contract: Contract): object {
  const copy = structuredClone(contract);
  // The converter keeps the summary and the licence's identifier, which 3.0 does not have.
  delete copy.info.summary;
  copy.info.license = { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" };
  dropDefaultAnswers(copy);
  return new Converter(copy, { allOfTransform: true }).convert() as object;
}
