import { access, chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderUnicodeCompact } from "uqr";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFreePort } from "../../src/platform/net/free-port.js";
import type { AnyRow } from "../support/any-row.js";
import { runCommand, runHere, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { onTerminal } from "../support/terminal.js";

let database: TestDatabase;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  folder = await mkdtemp(join(tmpdir(), "mls-relay-start-"));
  // The embedded server may run under another account.
  await chmod(folder, 0o711);
  env = { DATABASE_URL: database.url, DATA_DIR: join(folder, "data"), PORT: "0" };
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

/** A program that listens at a port of this machine. */
async function occupy(port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return server;
}

describe("a start that fails", () => {
  test.each(["PORT", "METRICS_PORT"])("says whose port is taken, and has touched no database: %s", async (variable) => {
    const port = await findFreePort();
    const server = await occupy(port);
    const given = { PORT: "0", [variable]: String(port), DATA_DIR: join(folder, variable) };
    for (const more of [{}, { DATABASE_URL: database.url }]) {
      for (const args of [["serve"], ["serve", "--workers", "2"]]) {
        const { code, stdout, stderr } = await runCommand(args, { ...given, ...more });
        expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
        expect(stderr.split("\n")).toEqual([
          `mls-relay: ${variable}=${port} cannot be used: another program listens at 127.0.0.1:${port} (EADDRINUSE)`,
          expect.stringMatching(/^ {2}-> .*choose another port$/),
          "",
        ]);
      }
    }
    server.close();
    await expect(access(join(folder, variable))).rejects.toThrow("ENOENT");
    const journal = await database.db.rows<AnyRow>("select to_regclass('knex_migrations') as journal");
    expect(journal).toEqual([{ journal: null }]);
  });

  test("says which variable replaces an option that there is not", async () => {
    const { code, stderr } = await runCommand(["serve", "--base-url", "http://x"], env);
    expect(code).toBe(1);
    expect(stderr).toMatch(/unknown option '--base-url'/);
    expect(stderr).toContain("Set the environment variable BASE_URL instead: BASE_URL=… mls-relay serve");
  });
});

describe("a start", () => {
  test("names the console, how to sign in, and the contract's version; a second one says that it is one more node", async () => {
    const first = startCommand(["serve"], env);
    const [, url] = await first.seen(/ at (http\S+)/);
    const [banner] = await first.seen(/mls-relay serves[\s\S]*master key.*\n/);
    const { version } = JSON.parse(await readFile("generated/openapi.json", "utf8")).info;
    expect(banner).toContain(`console        ${url}/console/`);
    expect(banner).toMatch(/sign in +`\S*mls-relay console` prints a link/);
    expect(banner).toContain(`contract       ${version}: ${url}/openapi.json`);
    expect((await fetch(`${url}/console/`)).status).toBe(200);
    expect(banner).not.toContain("nodes ");
    const second = startCommand(["serve"], env);
    await second.seen(/nodes +this is one more node: another node of this database ran a moment ago/);
    for (const relay of [first, second]) relay.kill("SIGTERM");
    for (const relay of [first, second]) expect(await relay.ended).toMatchObject({ code: 0 });
  });

  test("logs readable lines on a terminal, which say what a first start does, and JSON elsewhere", async () => {
    const elsewhere = startCommand(["serve"], env);
    await elsewhere.seen(/ at http/);
    elsewhere.kill("SIGTERM");
    for (const line of (await elsewhere.ended).stdout.trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
    const text = await logOnTerminal({ DATA_DIR: join(folder, "embedded"), PORT: "0", DOMAIN: "relay.example" });
    for (const step of ["making a PostgreSQL", "the schema was brought up to date"]) expect(text).toContain(step);
    expect(text).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}serving domain=relay\.example /m);
    expect(text).not.toContain('{"level"');
  });
});

test("commands speak for the relay that runs, whatever its port: links and invites lead to it", async () => {
  const port = String(await findFreePort());
  const relay = startCommand(["serve"], { ...env, PORT: port });
  await relay.seen(/ at http/);
  const beside = { DATABASE_URL: env["DATABASE_URL"] ?? "", DATA_DIR: env["DATA_DIR"] ?? "" };
  const key = join(folder, "admin.pem");
  expect(await runHere(["console"], beside)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("run `mls-relay admin keygen`, then `mls-relay admin add`"),
  });
  await runHere(["admin", "keygen", "--out", key], beside);
  await runHere(["admin", "add", "--key", key], beside);
  const { stdout: link } = await runHere(["console"], beside);
  expect(link).toMatch(new RegExp(`^http://localhost:${port}/console/#/link\\?code=`));
  const { stdout } = await runHere(["invites", "create", "--uses", "3", "--days", "2"], beside);
  const lines = stdout.split("\n");
  const [, handle = ""] = /^handle {3}(\S{24})$/m.exec(stdout) ?? [];
  expect(lines[0]).toBe(`http://localhost:${port}/#invite=${handle}`);
  expect(stdout).toContain(renderUnicodeCompact(lines[0] ?? ""));
  expect(stdout).toMatch(/^expires {2}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, in 2 days$/m);
  const shown = JSON.parse((await runHere(["invites", "create", "--json"], beside)).stdout);
  expect(shown).toMatchObject({
    domain: `localhost:${port}`,
    link: `http://localhost:${port}/#invite=${shown.invite_handle}`,
  });
  relay.kill("SIGTERM");
  expect(await relay.ended).toMatchObject({ code: 0 });
});

/** What a relay writes on a terminal until it serves. */
function logOnTerminal(variables: Readonly<Record<string, string>>): Promise<string> {
  // Ctrl-C, as a person types it.
  return onTerminal(["serve"], variables, { seen: "mls-relay serves", typed: "\u0003" });
}
