import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const project = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

/** A folder outside of this project into which the packed client was installed. */
export interface Installation {
  folder: string;
  /** Files of the client, from its folder, with their sizes. */
  files: ReadonlyMap<string, number>;
  /** Writes a program there and runs it. Throws with its output where it fails. */
  runProgram(name: string, args?: readonly string[], env?: Record<string, string>): Promise<string>;
  write(name: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Packs the client, and packages above it, as they would be published, and unpacks them. What they depend on comes from this project's own
 * folder. The files are those of the last package.
 */
export async function installClient(...above: readonly string[]): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-client-"));
  let target = "";
  for (const name of ["@mls-relay/client", ...above]) target = await install(name, folder);
  await symlink(join(project, "node_modules/@types"), join(folder, "node_modules/@types"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  return {
    folder,
    files: await sizesOf(target),
    write: (name, text) => writeFile(join(folder, name), text),
    async runProgram(name, args = [], env = {}) {
      const { stdout: output } = await run(process.execPath, [name, ...args], {
        cwd: folder,
        env: { ...process.env, ...env },
      });
      return output;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function install(name: string, folder: string): Promise<string> {
  const pack = ["pack", "--workspace", name, "--pack-destination", folder, "--json"];
  const { stdout } = await run("npm", pack, { cwd: project });
  const [tarball = ""] = (await readdir(folder)).filter((file) => file.endsWith(".tgz"));
  if (tarball === "") throw new Error(`npm packed nothing: ${stdout}`);
  const target = join(folder, "node_modules", name);
  await mkdir(target, { recursive: true });
  await run("tar", ["xzf", join(folder, tarball), "--strip-components=1", "-C", target]);
  await rm(join(folder, tarball));
  const { dependencies = {} } = JSON.parse(await readFile(join(target, "package.json"), "utf8"));
  for (const needed of Object.keys(dependencies).filter((one) => !one.startsWith("@mls-relay/"))) {
    await symlink(join(project, "node_modules", needed), join(folder, "node_modules", needed));
  }
  return target;
}

/** The programs on a page, which begin with their names: `// talk.mjs`. */
export async function programsOf(page: string): Promise<Map<string, string>> {
  const text = await readFile(join(project, page), "utf8");
  const blocks = [...text.matchAll(/^```js\n\/\/ (\S+\.mjs)\n([\s\S]*?)^```$/gm)];
  return new Map(blocks.map(([, name = "", program = ""]) => [name, program]));
}

async function sizesOf(folder: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    sizes.set(file.slice(folder.length + 1), (await stat(file)).size);
  }
  return sizes;
}
