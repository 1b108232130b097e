import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { compareAsyncApi } from "./compatibility/asyncapi.js";
import type { BreakingChange } from "./compatibility/breaking-change.js";
import { unannounced } from "./compatibility/changelog.js";
import type { Json } from "./compatibility/json.js";
import { compareOpenApi } from "./compatibility/openapi.js";
import { readManifests } from "./frozen/manifest.js";
import { majorOf } from "./frozen/versions.js";

/** The breaking changes between the released contract (`spec/released/`) and the present one (`generated/`). */
export async function findBreakingChanges(root: URL): Promise<BreakingChange[]> {
  const [openapi, asyncapi] = await Promise.all([readVersions(root, "openapi"), readVersions(root, "asyncapi")]);
  const breakingChanges = [...compareOpenApi(...openapi), ...compareAsyncApi(...asyncapi)];
  const distinct = new Map(
    breakingChanges.map((breakingChange) => [`${breakingChange.subject}: ${breakingChange.what}`, breakingChange]),
  );
  return [...distinct.values()];
}

/** Whether the contract has the same major version as the released one. Before the first release nothing is promised. */
export async function keepsMajorVersion(root: URL): Promise<boolean> {
  const manifests = await readManifests(new URL("spec/released/", root));
  if (manifests.every((manifest) => manifest.released === null)) return false;
  const [before, after] = (await readVersions(root, "openapi")) as unknown as { info: { version: string } }[];
  return majorOf(after?.info.version ?? "") === majorOf(before?.info.version ?? "");
}

async function readVersions(root: URL, name: string): Promise<[before: Json, after: Json]> {
  const read = async (path: string) => JSON.parse(await readFile(new URL(path, root), "utf8")) as Json;
  return [await read(`spec/released/${name}.json`), await read(`generated/${name}.json`)];
}

async function main(root: URL): Promise<void> {
  const breakingChanges = await findBreakingChanges(root);
  const changelog = await readFile(new URL("CHANGELOG.md", root), "utf8");
  const notAnnounced = unannounced(breakingChanges, changelog);
  console.log(
    `${breakingChanges.length} breaking changes since the release, ${notAnnounced.length} of them unannounced`,
  );
  for (const { subject, what } of notAnnounced) console.error(`${subject}: ${what}`);
  if (breakingChanges.length > 0 && (await keepsMajorVersion(root))) {
    for (const { subject, what } of breakingChanges) console.error(`${subject}: ${what}`);
    console.error("The released contract promises that this does not happen within a major version");
    process.exitCode = 1;
  }
  if (notAnnounced.length === 0) return;
  console.error("Announce them in CHANGELOG.md under Unreleased: - Breaking: `name` …");
  process.exitCode = 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(new URL("../", import.meta.url));
}
