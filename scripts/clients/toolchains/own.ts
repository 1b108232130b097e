import { copyFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { demand, demandDone, type Place, type Toolchain } from "../toolchain.js";
import { npmPackages } from "../tools.js";

const program = "send-and-receive.mjs";

/** The project's client, packed and installed as an application would do it, in each JavaScript runtime. */
export const ownToolchains: readonly Toolchain[] = [
  toolchain("Node.js", async () => [process.execPath, program]),
  toolchain("Deno", async (packages) => [
    join(packages, ".bin/deno"),
    ...["run", "--allow-net", "--allow-env", "--allow-read=.", program],
  ]),
  toolchain("Bun", async (packages) => [join(packages, ".bin/bun"), program]),
];

function toolchain(name: string, commandOf: (packages: string) => Promise<string[]>): Toolchain {
  return {
    name: `@mls-relay/client (${name})`,
    long: true,
    missing: () => undefined,
    async run(place) {
      await installClient(place);
      await copyFile(join(place.project, "scripts/clients/own", program), join(place.folder, program));
      const packages = await npmPackages(join(place.project, "scripts/clients/own/package.json"));
      const [command = "", ...args] = await commandOf(join(packages, "node_modules"));
      await demandDone(command, args, place.folder);
    },
  };
}

async function installClient({ project, folder }: Place): Promise<void> {
  await demand("npm", ["pack", "--workspace", "@mls-relay/client", "--pack-destination", folder], project);
  const [tarball = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  await demand("npm", ["install", "--silent", "--no-audit", "--no-fund", "--no-package-lock", `./${tarball}`], folder);
}
