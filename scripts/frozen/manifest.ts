import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Form } from "./form.js";
import type { FrozenMigration } from "./migrations.js";
import { compareVersions } from "./versions.js";

/** What a release promises, in `spec/released/<version>.json`. */
export interface Manifest {
  /** Of the package. */
  version: string;
  /** The day of the release, `YYYY-MM-DD`; null as long as the manifest may be written again. */
  released: string | null;
  /** SHA-256 of each file of the contract in `spec/released/`. */
  contract: Readonly<Record<string, string>>;
  /** In their order. */
  migrations: readonly FrozenMigration[];
  /** By the form's name. */
  forms: Readonly<Record<string, Sample>>;
}

interface Sample {
  sample: string;
  /** What is read from it, if it can be read. */
  read?: unknown;
}

/** What the sources promise today. */
export interface Present {
  contract: Readonly<Record<string, string>>;
  migrations: readonly FrozenMigration[];
  forms: readonly Form[];
}

export const contractFiles = ["openapi.json", "asyncapi.json"];

/** The manifests of a folder, the oldest version first. */
export async function readManifests(folder: URL): Promise<Manifest[]> {
  const names = (await readdir(folder)).filter((name) => /^\d+\.\d+\.\d+\.json$/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), "utf8")));
  const manifests = texts.map((text) => JSON.parse(text) as Manifest);
  return manifests.sort((one, other) => compareVersions(one.version, other.version));
}

/** SHA-256 of each file of the contract in a folder. */
export async function hashContract(folder: URL): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const name of contractFiles) {
    hashes[name] = createHash("sha256")
      .update(await readFile(new URL(name, folder)))
      .digest("hex");
  }
  return hashes;
}

/** The samples of all forms that this version writes. */
export async function sampleForms(forms: readonly Form[]): Promise<Record<string, Sample>> {
  const samples: Record<string, Sample> = {};
  for (const { name, write, record, read } of forms) {
    const sample = await (write ?? record)?.();
    if (sample === undefined) continue;
    samples[name] = read === undefined ? { sample } : { sample, read: asJson(await read(sample)) };
  }
  return samples;
}

/** What the sources have changed of what a release promised, one sentence each. */
export async function findChanges(manifest: Manifest, present: Present): Promise<string[]> {
  const { version } = manifest;
  const changes = [
    ...changedMigrations(manifest.migrations, present.migrations),
    ...(await changedForms(manifest.forms, present.forms)),
  ];
  return changes.map((change) => `${change} (released with ${version})`);
}

/** Whether the files of the contract are still those that the newest release published. */
export function findChangedContract({ contract, version }: Manifest, present: Present["contract"]): string[] {
  return Object.keys(contract)
    .filter((name) => contract[name] !== present[name])
    .map((name) => `spec/released/${name} is not the contract that ${version} published`);
}

function changedMigrations(released: readonly FrozenMigration[], present: readonly FrozenMigration[]): string[] {
  return released.flatMap(({ name, hash }, place) => {
    const now = present[place];
    if (now?.name !== name) return [`migration ${name}: step ${place + 1} is ${now?.name ?? "missing"}`];
    return now.hash === hash ? [] : [`migration ${name}: its SQL differs`];
  });
}

async function changedForms(released: Manifest["forms"], present: readonly Form[]): Promise<string[]> {
  const changes: string[] = [];
  for (const [name, frozen] of Object.entries(released)) {
    const form = present.find((each) => each.name === name);
    const change = form === undefined ? "is no longer written or read" : await changeOf(form, frozen);
    if (change !== undefined) changes.push(`${name}: ${change}`);
  }
  return changes;
}

async function changeOf({ write, read }: Form, frozen: Sample): Promise<string | undefined> {
  const written = await write?.();
  if (written !== undefined && written !== frozen.sample) return "is written in another form";
  if (frozen.read === undefined) return written === undefined ? "is no longer written" : undefined;
  if (read === undefined) return "is no longer read";
  try {
    return isDeepStrictEqual(asJson(await read(frozen.sample)), frozen.read) ? undefined : "is read as something else";
  } catch (failure) {
    return `can no longer be read: ${(failure as Error).message}`;
  }
}

/** As it comes back from a file. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}
