import { pathToFileURL } from "node:url";
import { generateAsyncapi } from "./asyncapi.js";

import { bundleContract } from "./bundle.js";
import { readCatalogue } from "./catalogue.js";
import { writeDelayProof } from "./delay-proof.js";
import { describeExtensions } from "./describe-extensions.js";
import { writeDocuments } from "./documents.js";
import { writeErrorTable } from "./error-table.js";
import { expandConditional } from "./expand-conditional.js";
import { expandErrors } from "./expand-errors.js";
import { writeHandlerTypes } from "./handler-types.js";
import { inlineExamples } from "./inline-examples.js";
import { writeOpenapiTypes } from "./openapi-types.js";
import { writeRequestValidators } from "./request-validators.js";
import { writeCalls, writeRoutes } from "./routes.js";
import { writeLimitNames, writeReasons, writeSettingsTable } from "./settings-table.js";
import { writeShapes } from "./shapes.js";

/** Makes everything in `generated/` from `spec/`. Both folders lie under `root`. */
export async function generate(root: URL): Promise<void> {
  const catalogue = await readCatalogue(root);
  const contract = await bundleContract(root);
  expandConditional(contract);
  expandErrors(contract, catalogue);
  describeExtensions(contract, catalogue);
  await inlineExamples(contract, root);
  await writeDocuments(contract, root);
  await writeOpenapiTypes(contract, root);
  await writeRoutes(contract, root);
  await writeCalls(contract, root);
  await writeShapes(contract, root);
  await writeRequestValidators(contract, root);
  await writeErrorTable(catalogue, root);
  await writeSettingsTable(contract, root);
  await writeReasons(contract, root);
  await writeLimitNames(contract, root);
  await writeHandlerTypes(contract, root);
  await generateAsyncapi(root);
  await writeDelayProof(root);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = new URL("../../", import.meta.url);
  await generate(root);
  // The pages are made from code that loads generated/, so this code is loaded afterwards.
  const { writePages } = await import("./pages.js");
  await writePages(root);
}
