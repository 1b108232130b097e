import { copyFile, readFile, writeFile } from "node:fs/promises";
import { contractFiles, findChanges, type Manifest, readManifests, sampleForms } from "./frozen/manifest.js";
import { readPresent } from "./frozen/present.js";
import { compareVersions } from "./frozen/versions.js";

// `npm run lab -- freeze` writes what the version of package.json is going to promise into spec/released/, as often as one likes
// before the first release. `npm run lab -- freeze --release` does it for good: from then on `npm run check` refuses every change.

const root = new URL("../", import.meta.url);
const folder = new URL("spec/released/", root);
const isRelease = process.argv.includes("--release");

const { version } = JSON.parse(await readFile(new URL("package.json", root), "utf8")) as { version: string };
const released = (await readManifests(folder)).filter((manifest) => manifest.released !== null);
const newest = released.at(-1);
refuse(
  newest !== undefined && compareVersions(version, newest.version) <= 0,
  `${newest?.version} is released; raise the version in package.json`,
);
refuse(
  newest !== undefined && !isRelease,
  "spec/released/ holds the contract of the last release until --release replaces it",
);

const present = await readPresent(new URL("generated/", root));
for (const manifest of released) {
  const changes = await findChanges(manifest, present);
  refuse(changes.length > 0, changes.join("\n"));
}
for (const name of contractFiles) await copyFile(new URL(`generated/${name}`, root), new URL(name, folder));
const manifest: Manifest = {
  version,
  released: isRelease ? new Date().toISOString().slice(0, 10) : null,
  contract: present.contract,
  migrations: present.migrations,
  forms: await sampleForms(present.forms),
};
await writeFile(new URL(`${version}.json`, folder), `${JSON.stringify(manifest, null, 2)}\n`);
console.log(
  `spec/released/${version}.json ${isRelease ? "is what the release promises" : "is written; nothing is promised yet"}`,
);

function refuse(condition: boolean, reason: string): void {
  if (!condition) return;
  console.error(`mls-relay: ${reason}`);
  process.exit(1);
}
