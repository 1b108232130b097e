import { build } from "vite";
import { compressFolder } from "./compress.js";
import { writeLicences } from "./licences.js";

const target = "dist/console";

/** Builds the console's page, every file compressed beside it, and the licences of the packages that are in it. */
export async function buildConsole(): Promise<void> {
  const built = await build({ configFile: "src/console/vite.config.ts", logLevel: "warn" });
  const files = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
  const modules = files.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  await writeLicences({ inputs: Object.fromEntries(modules.map((id) => [id, null])) }, `${target}/LICENSES.txt`);
  await compressFolder(target);
}
