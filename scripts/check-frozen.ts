import { pathToFileURL } from "node:url";
import { findChangedContract, findChanges, readManifests, sampleForms } from "./frozen/manifest.js";
import { readPresent } from "./frozen/present.js";

/**
 * What the sources have changed of what releases promised (`spec/released/<version>.json`): steps of the schema, signed texts,
 * stored forms, and the files of the contract that later ones are compared with. A version that is not released yet
 * promises nothing.
 */
export async function findBrokenPromises(root: URL): Promise<string[]> {
  const folder = new URL("spec/released/", root);
  const released = (await readManifests(folder)).filter((manifest) => manifest.released !== null);
  const present = await readPresent(folder);
  // Without a release the forms are still written and read once.
  await sampleForms(present.forms);
  const changes = await Promise.all(released.map((manifest) => findChanges(manifest, present)));
  const newest = released.at(-1);
  return [...(newest === undefined ? [] : findChangedContract(newest, present.contract)), ...changes.flat()];
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const broken = await findBrokenPromises(new URL("../", import.meta.url));
  for (const each of broken) console.error(each);
  if (broken.length > 0) {
    console.error("What is released never changes: add a step of the schema, or a new form beside the old one");
    process.exitCode = 1;
  }
}
