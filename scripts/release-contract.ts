import { copyFile, mkdir } from "node:fs/promises";
import { contractFiles, readManifests } from "./frozen/manifest.js";

// Until the first release, a change of the contract runs this, so that spec/released/ holds what is going to be released.
// After that only `npm run lab -- freeze --release` writes there.
const root = new URL("../", import.meta.url);
const folder = new URL("spec/released/", root);
await mkdir(folder, { recursive: true });
const newest = (await readManifests(folder)).findLast((manifest) => manifest.released !== null);
if (newest === undefined) {
  for (const name of contractFiles) await copyFile(new URL(`generated/${name}`, root), new URL(name, folder));
  console.log("spec/released/ holds the present contract");
} else {
  console.error(`mls-relay: spec/released/ holds the contract of ${newest.version}, which is released`);
  process.exitCode = 1;
}
