import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRelay, type TestRelay } from "../support/relay.js";

const project = fileURLToPath(new URL("../..", import.meta.url));
const program = `
  import { connectDevice, deviceKeysOf, newSecretKey } from "./src/client/index.js";
  async function main() {
    const [url, domain] = process.argv.slice(2);
    const device = await connectDevice({ url, domain, keys: deviceKeysOf(newSecretKey()) });
    await device.register({ admission: { by: "nothing" } });
    const received = await new Promise((resolve) => {
      const receiving = device.receive({
        async handle({ ciphertext }) {
          resolve({ receiving, bytes: ciphertext.length });
        },
        onStatus({ state, reason }) {
          console.log(state, reason ?? "");
          if (state === "streaming") void device.send({ to: device.session().addresses[0], ciphertext: new Uint8Array(200_000) });
        },
      });
    });
    await received.receiving.stop();
    await new Promise((resolve) => setImmediate(resolve));
    console.log(received.bytes, "bytes; still open:", process.getActiveResourcesInfo().filter((name) => /Timeout|TCP|TLS/.test(name)).join());
  }
  main();`;

let relay: TestRelay;
let folder: string;
beforeAll(async () => {
  relay = await startRelay();
  folder = await mkdtemp(join(tmpdir(), "bundled-"));
});
afterAll(async () => {
  await relay.stop();
  await rm(folder, { recursive: true });
});

test.each([
  ["CommonJS", "cjs"],
  ["one ES module", "mjs"],
] as const)("bundled as %s, far from any package, the client streams, and holds nothing open once it is stopped", async (_name, ending) => {
  const outfile = join(folder, `bundled.${ending}`);
  await build({
    stdin: { contents: program, resolveDir: project, loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    format: ending === "cjs" ? "cjs" : "esm",
    logLevel: "error",
  });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile, relay.url, relay.config.domain], {
    cwd: folder,
  });
  const lines = stdout.trim().split("\n");
  expect(lines[0]?.trim()).toBe("streaming");
  expect(lines.at(-1)?.trim()).toBe("200000 bytes; still open:");
});

test.each([
  ["CommonJS", "cjs"],
  ["one ES module", "mjs"],
] as const)("bundled as %s, a store in SQLite finds the package of the program if this Node.js has no SQLite", async (_name, ending) => {
  const installed = join(folder, "node_modules", "better-sqlite3");
  await mkdir(installed, { recursive: true });
  const stub = "exec() {} close() {} prepare() { return { run() {}, get() {}, all() { return []; } }; }";
  await writeFile(join(installed, "index.js"), `module.exports = class { ${stub} };`);
  const outfile = join(folder, `store.${ending}`);
  const contents = `
    import { sqliteStore } from "./src/groups/store/sqlite-store.js";
    sqliteStore("store.db").lock({ wait: false }).then(console.log);`;
  const bundle = {
    bundle: true,
    platform: "node",
    format: ending === "cjs" ? "cjs" : "esm",
    logLevel: "error",
  } as const;
  await build({ stdin: { contents, resolveDir: project, loader: "ts" }, outfile, ...bundle });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { cwd: folder });
  expect(stdout).toBe("true\n");
});
