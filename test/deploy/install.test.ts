import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { programsOf } from "../client/installed-package.js";

// The steps of docs/how-to/install.md in folders of their own: nothing that is installed or run lies in this project.

const run = promisify(execFile);
const project = fileURLToPath(new URL("../../", import.meta.url));
const maxOutputBytes = 2 ** 24;

let folder: string;
let relay: ChildProcess | undefined;
let ended: Promise<unknown[]> | undefined;

beforeAll(async () => {
  expect(existsSync(join(project, "dist/src/cli/main.js")), "npm run build comes first").toBe(true);
  folder = await mkdtemp(join(tmpdir(), "mls-relay-install-"));
  // The embedded server may run under another account.
  await chmod(folder, 0o711);
  const pack = ["pack", "--ignore-scripts", "--pack-destination", folder];
  for (const place of [".", "src/client"]) {
    await run("npm", pack, { cwd: join(project, place), maxBuffer: maxOutputBytes });
  }
});
afterAll(async () => {
  relay?.kill("SIGTERM");
  await ended;
  await rm(folder, { recursive: true });
});

/** npm with the packages that it has already, as far as it has them. */
async function install(args: readonly string[], cwd: string): Promise<void> {
  const options = { cwd, maxBuffer: maxOutputBytes };
  await run("npm", ["install", "--prefer-offline", ...args], options).catch((cause: Error) => {
    throw new Error("npm could not install a tarball; it needs a registry, or the packages in its cache", { cause });
  });
}

describe("the tarballs of a release", () => {
  test("install a command that serves, with its own PostgreSQL, and a client that sends a message to it", async () => {
    const { version } = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
    const prefix = join(folder, "local");
    const hello = join(folder, "hello");
    await mkdir(hello);
    await writeFile(join(hello, "package.json"), "{}");
    await Promise.all([
      // npm may be set to run no scripts; the relay then makes the links between PostgreSQL's libraries.
      install(["-g", "--ignore-scripts", "--prefix", prefix, join(folder, `mls-relay-${version}.tgz`)], folder),
      install([join(folder, `mls-relay-client-${version}.tgz`)], hello),
    ]);

    const url = `http://localhost:${await findFreePort()}`;
    const file = join(folder, "relay.env");
    const settings = [
      `PORT=${new URL(url).port}`,
      `DATA_DIR=${folder}/data`,
      "SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY=10000",
    ];
    await writeFile(file, `${settings.join("\n")}\n`);
    const env = { PATH: process.env["PATH"] ?? "" };
    const command = join(prefix, "bin/mls-relay");
    expect((await run(command, ["--version"], { env })).stdout.trim()).toBe(version);
    const inS3 = { ...env, BLOB_STORAGE: "s3", BLOB_S3_BUCKET: "blobs" };
    const refused = run(command, ["serve", "--env-file", file], { cwd: folder, env: inS3 });
    const { peerDependencies } = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
    await expect(refused).rejects.toMatchObject({
      code: expect.any(Number),
      stderr: expect.stringMatching(
        new RegExp(
          `run: cd ${prefix}/\\S+ && npm install .* @aws-sdk/client-s3@${peerDependencies["@aws-sdk/client-s3"]} `,
        ),
      ),
    });
    relay = spawn(command, ["serve", "--env-file", file], { cwd: folder, env, stdio: "ignore" });
    ended = once(relay, "exit");
    await expect.poll(() => isReady(url)).toBe(true);

    const program = (await programsOf("src/client/README.md")).get("readme.mjs") ?? "";
    await writeFile(join(hello, "readme.mjs"), program.replace("http://localhost:8080", url));
    const { stdout } = await run(process.execPath, ["readme.mjs"], { cwd: hello, env });
    expect(stdout).toMatch(/^this device is \S+\nreceived 33 bytes\n$/);
    const { stdout: status } = await run(command, ["status", "--json", "--env-file", file], { cwd: folder, env });
    expect(JSON.parse(status)).toBeTypeOf("object");

    relay.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });
});

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined);
  return answer?.status === 200;
}
