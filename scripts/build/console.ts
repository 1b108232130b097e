import { build } from "vite";
import { compressFolder } from "./compress.js";
import { writeLicences } from "./licences.js";

const target = "dist/console";

/** Builds the console's page, with compressed copies of every file and the licences of the bundled packages. */
export async function buildConsole(): Promise<void> {
  const built = await build({ configFile: "src/console/vite.config.ts", logLevel: "warn" });
  const files = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
  const modules = files.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  await writeLicences({ inputs: Object.fromEntries(modules.map((id) => [id, null])) }, `${target}/LICENSES.txt`);
  await compressFolder(target);
}
