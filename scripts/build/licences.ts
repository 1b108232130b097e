import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Writes the licences of all packages that went into a bundle, by its inputs. Most of them require that copies keep the
 * licence.
 */
export async function writeLicences({ inputs }: { inputs: object }, file: string): Promise<void> {
  const folders = Object.keys(inputs).map((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]);
  const packages = [...new Set(folders)].filter((folder) => folder !== undefined).sort();
  const texts = await Promise.all(packages.map(licenceOf));
  await writeFile(file, texts.join(betweenLicences));
}

export const betweenLicences = `\n${"-".repeat(80)}\n\n`;

/** The licence of an installed package, under its name and version. */
export async function licenceOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const files = (await readdir(folder)).filter((entry) => /^licen[cs]e/i.test(entry)).sort();
  const texts = await Promise.all(files.map((entry) => readFile(join(folder, entry), "utf8")));
  return `${[`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join("\n\n")}\n`;
}
