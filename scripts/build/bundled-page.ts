import { build, type Plugin } from "vite";
import { compressFolder } from "./compress.js";
import { writeLicences } from "./licences.js";
import { unusedCryptography } from "./unused-cryptography.js";

/** Builds a page of `src/`, with compressed copies of every file and the licences of the bundled packages. */
export async function buildPage(name: "app" | "console"): Promise<void> {
  const target = `dist/${name}`;
  const built = await build({ configFile: `src/${name}/vite.config.ts`, logLevel: "warn", plugins: [withoutUnused] });
  const files = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
  const modules = files.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  await writeLicences({ inputs: Object.fromEntries(modules.map((id) => [id, null])) }, `${target}/LICENSES.txt`);
  await compressFolder(target);
}

const unused = "\0unused:";

const withoutUnused: Plugin = {
  name: "without unused cryptography",
  enforce: "pre",
  // @hpke imports "crypto" where there is no Web Cryptography; every browser has it.
  resolveId: (id) => (id === "crypto" || unusedCryptography.test(id) ? unused + id : undefined),
  load: (id) => (id.startsWith(unused) ? 'throw new Error("not part of this page"); export default {};' : undefined),
};
