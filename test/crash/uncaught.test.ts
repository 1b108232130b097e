import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { uncaughtExitCode } from "../../src/process/uncaught-errors.js";
import { type RunningCommand, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { tableOf } from "../support/table.js";
import { transpiled } from "../support/transpiled.js";

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), "mls-relay-uncaught-"));
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

const injecting = `--import ${pathToFileURL(transpiled("test/support/inject-errors.ts")).href}`;

async function serve(inject: string, args: string[] = []): Promise<{ relay: RunningCommand; url: string }> {
  const env = { DATABASE_URL: database.url, DATA_DIR: folder, PORT: "0", SHUTDOWN_GRACE_SECONDS: "5" };
  const relay = startCommand(["serve", ...args], { ...env, NODE_OPTIONS: injecting, INJECT: inject });
  const ready = args.includes("--workers") ? / at (http\S+)[\s\S]*workers +2/ : / at (http\S+)/;
  const [, url = ""] = await relay.seen(ready);
  return { relay, url };
}
const logged = (stdout: string) =>
  stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { level: string; msg: string; err?: { message?: string } });

describe("an uncaught error", () => {
  it.each([
    ["exception", "an exception that nobody caught: the process drains and ends"],
    ["rejection", "a rejection that nobody handled: the process drains and ends"],
  ])("(%s) is logged, and the process drains and ends with a code of its own", async (inject, message) => {
    const { relay, url } = await serve(inject);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    relay.kill("SIGUSR2");
    const { code, signal, stdout } = await relay.ended;
    expect({ code, signal }).toEqual({ code: uncaughtExitCode, signal: null });
    expect(logged(stdout).filter(({ level }) => level === "fatal")).toEqual([
      expect.objectContaining({ msg: message, err: expect.objectContaining({ message: "injected" }) }),
    ]);
    // It took its leave of the other nodes, which one that was killed does not.
    expect(await tableOf(database.db, "nodes").select()).toEqual([]);
  });

  it("ends the workers too, where it met the process above them", async () => {
    const { relay, url } = await serve("exception", ["--workers", "2"]);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    relay.kill("SIGUSR2");
    const { code, signal, stdout } = await relay.ended;
    expect({ code, signal }).toEqual({ code: uncaughtExitCode, signal: null });
    expect(logged(stdout).filter(({ level }) => level === "fatal")).toEqual([
      expect.objectContaining({ err: expect.objectContaining({ message: "injected" }) }),
    ]);
    await expect(fetch(`${url}/readyz`)).rejects.toThrow();
    expect(await tableOf(database.db, "nodes").select()).toEqual([]);
  });
});
