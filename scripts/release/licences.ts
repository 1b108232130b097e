import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { betweenLicences, licenceOf } from "../build/licences.js";
import type { Component } from "./bill-of-materials.js";

/** A package of a release. */
export interface Published {
  name: string;
  /** From the project's folder. */
  folder: string;
  /** Files with the licences of the packages that are bundled into it. */
  bundled: readonly string[];
  /** A file with the licences of programs in a package that it brings, which that package lacks. */
  programs?: string;
}

/** A package whose code is in a bundle, as the file of its licences names it: `accepts 2.0.0 (MIT)`. */
export interface Bundled {
  name: string;
  version: string;
  licence: string;
}

export async function bundledIn(sources: string, { bundled }: Published): Promise<Bundled[]> {
  const texts = await Promise.all(bundled.map((file) => readFile(join(sources, file), "utf8")));
  const headings = texts.flatMap((text) => text.split(betweenLicences)).filter((text) => text.trim() !== "");
  const found = headings.map((text): [string, Bundled] => {
    const [heading, name = "", version = "", licence = ""] = /^(\S+) (\S+) \((.*)\)/.exec(text) ?? [];
    if (heading === undefined) throw new Error(`no package is named in ${text.slice(0, 80)}`);
    return [`${name}@${version}`, { name, version, licence }];
  });
  return [...new Map(found).values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * Writes the licences of all packages that a package depends on or has bundled. For packages for other systems, which
 * are not installed here, only the name is known.
 */
export async function writeLicencesOf(
  sources: string,
  { shipped, components, file }: { shipped: Published; components: readonly Component[]; file: string },
): Promise<void> {
  const folders = components.flatMap(({ properties = [] }) =>
    properties.filter(({ name }) => name === "cdx:npm:package:path").map(({ value }) => value),
  );
  const brought = folders.sort().map(async (folder) => {
    if (existsSync(join(sources, folder, "package.json"))) return licenceOf(join(sources, folder));
    return `${folder.replace(/^.*node_modules\//, "")} (for another system; the licence is in the package)\n`;
  });
  const further = [...(shipped.programs === undefined ? [] : [shipped.programs]), ...shipped.bundled];
  const texts = further.map((name) => readFile(join(sources, name), "utf8"));
  await writeFile(file, (await Promise.all([...brought, ...texts])).join(betweenLicences));
}
