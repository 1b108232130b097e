import type { OpenAPI3 } from "openapi-typescript";
import openapiTS, { astToString } from "openapi-typescript";
import type { Contract } from "./contract.js";
import { writeGenerated } from "./output.js";

/** Writes the TypeScript types of all paths and schemas. */
export async function writeOpenapiTypes(contract: Contract, root: URL): Promise<void> {
  // openapi-typescript modifies its input.
  const input = structuredClone(contract) as object as OpenAPI3;
  const types = await openapiTS(input, { alphabetize: false, defaultNonNullable: false });
  await writeGenerated(root, "openapi-types.ts", astToString(types));
}
