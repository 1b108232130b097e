import { copyFile, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { contractOf, demand, demandDone, type Place, type Toolchain } from "../toolchain.js";
import { npmPackages } from "../tools.js";

const present = () => undefined;

export const typescriptToolchains: readonly Toolchain[] = [
  {
    name: "openapi-typescript with openapi-fetch",
    long: false,
    missing: present,
    async run(place) {
      const packages = join(place.project, "node_modules");
      const generate = [contractOf(place.project), "--output", join(place.folder, "schema.ts")];
      await demand(join(packages, ".bin/openapi-typescript"), generate, place.folder);
      await compileAndRun(place, { packages, program: "openapi-typescript.ts" });
    },
  },
  {
    name: "@hey-api/openapi-ts",
    long: false,
    missing: present,
    async run(place) {
      const packages = await longPackages(place.project);
      const generate = ["-i", contractOf(place.project), "-o", "made", "-c", "@hey-api/client-fetch"];
      await demand(join(packages, ".bin/openapi-ts"), generate, place.folder);
      // The generated files import each other without extensions, for bundlers.
      await compileAndRun(place, { packages, program: "hey-api.ts", bundled: true });
    },
  },
  {
    name: "orval (fetch and zod)",
    long: false,
    missing: present,
    async run(place) {
      const packages = await longPackages(place.project);
      const { url } = JSON.parse(await readFile(place.task, "utf8")) as { url: string };
      const input = contractOf(place.project);
      const outputs = {
        fetch: { input, output: { target: "made/relay.ts", client: "fetch", mode: "split", baseUrl: url } },
        zod: { input, output: { target: "made/zod.ts", client: "zod", mode: "single" } },
      };
      await writeFile(join(place.folder, "orval.config.mjs"), `export default ${JSON.stringify(outputs)};`);
      await demand(join(packages, ".bin/orval"), ["--config", "orval.config.mjs"], place.folder);
      await compileAndRun(place, { packages, program: "orval.ts", bundled: true });
    },
  },
];

/** The node_modules for the long runs. */
export async function longPackages(project: string): Promise<string> {
  return join(await npmPackages(join(project, "scripts/clients/typescript/package.json")), "node_modules");
}

interface Program {
  packages: string;
  program: string;
  bundled?: boolean;
}

/** Packages are found through the folder's link. */
async function compileAndRun({ project, folder, task }: Place, { packages, program, bundled }: Program): Promise<void> {
  await symlink(packages, join(folder, "node_modules"));
  await copyFile(join(project, "scripts/clients/typescript", program), join(folder, "client.ts"));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  const modules = bundled ? "--module esnext --moduleResolution bundler --noEmit" : "--module nodenext";
  const options = `--strict --target es2023 ${modules} --skipLibCheck --types node`.split(" ");
  await demand(join(packages, ".bin/tsc"), [...options, "client.ts"], folder);
  const esbuild = join(project, "node_modules/.bin/esbuild");
  const bundle = [
    "client.ts",
    "--bundle",
    "--platform=node",
    "--format=esm",
    "--outfile=client.js",
    "--log-level=error",
  ];
  if (bundled) await demand(esbuild, bundle, folder);
  await demandDone(process.execPath, ["client.js", task], folder);
}
