import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeBackup } from "../../src/backup/service.js";
import { createProgram } from "../../src/cli/program.js";
import { listConstants, variableNames } from "../../src/composition/config.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { uncaughtExitCode } from "../../src/process/uncaught-errors.js";
import { seedVariables } from "../../src/settings/service.js";
import { runHere, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { tableOf } from "../support/table.js";

const sentence = "it prints one sentence about what was done, and its exit code says whether it was";

/** Commands without `--json`, each with the reason. */
const withoutJson: Readonly<Record<string, string>> = {
  serve: "it runs until it is stopped; its log is JSON",
  completion: "a shell reads it",
  "keys revoke": sentence,
  "keys rotate-master": sentence,
  "keys replace-push": sentence,
  "admin remove": sentence,
  "ips unban": sentence,
  "devices block": sentence,
  "devices unblock": sentence,
  "devices delete": sentence,
  "blobs delete": sentence,
  "peers block": sentence,
  "peers unblock": sentence,
  "invites revoke": sentence,
  "outbox retry": sentence,
  "clock accept": sentence,
};

let database: TestDatabase;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), "mls-relay-output-"));
  env = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    DOMAIN: "relay.test",
    MASTER_KEY: randomBytes(32).toString("hex"),
  };
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

/** The commands that do something, by what is typed for them. */
function leaves(command: Command, prefix: readonly string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[prefix.join(" "), command]];
  return command.commands.flatMap((inner) => leaves(inner, [...prefix, inner.name()]));
}

async function json(...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await runHere([...args, "--json"], env);
  expect({ code, stderr }, args.join(" ")).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

describe("what commands print", () => {
  test("every command has --json, or is on the list with a reason", async () => {
    const found = leaves(await createProgram()).filter(
      ([, command]) => !command.options.some((one) => one.long === "--json"),
    );
    expect(found.map(([name]) => name).sort()).toEqual(Object.keys(withoutJson).sort());
  });

  test("every command is on the page of commands, with the exit codes that there are", async () => {
    const page = await readFile(new URL("../../docs/reference/commands.md", import.meta.url), "utf8");
    for (const [name] of leaves(await createProgram())) {
      const [first, second] = name.split(" ");
      const row = page.split("\n").find((line) => line.startsWith("- `") && line.includes(`\`${first}`));
      expect(row, name).toBeDefined();
      if (second !== undefined) expect(row, name).toMatch(new RegExp(`\\b${second}\\b`));
    }
    const codes = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual([0, 1, uncaughtExitCode]);
  });

  test("lists and outcomes are JSON on request, and nothing else", async () => {
    expect(await json("migrate")).toEqual({ applied: [] });
    const rotated = (await json("keys", "rotate")) as { kid: string };
    expect(await json("keys", "list")).toContainEqual(expect.objectContaining({ kid: rotated.kid, state: "signing" }));
    expect(await json("outbox", "list")).toEqual([]);
    const out = path.join(folder, "admin.pem");
    const { device_id } = (await json("admin", "keygen", "--out", out)) as { device_id: string };
    const added = { device_id, added: true, permissions: ["view_audit"] };
    expect(await json("admin", "add", "--key", out, "--permissions", "view_audit")).toEqual(added);
    expect(await json("admin", "list")).toEqual([{ device_id, permissions: ["view_audit"] }]);
    const clock = { database_time: expect.any(Number), seconds_ahead: expect.any(Number) };
    expect(await json("clock", "show")).toEqual(clock);
    expect(await json("after-restore")).toEqual({
      voided: expect.arrayContaining([expect.stringContaining("Invites")]),
    });
  });

  test("nothing that somebody else wrote changes what an operator sees", async () => {
    const hostile = "refused 400 \u001b]0;title\u0007\u009b2J\u202e\nfar.example  0 messages";
    const db = createDatabase({ url: database.url, poolSize: 1 });
    const file = path.join(folder, "hostile.backup");
    try {
      await tableOf(db, "outbox_destinations").insert({
        ...{ domain: "far.example", last_position: 1, messages: 1, bytes: 1, used_at: 0 },
        ...{ failures: 1, problem: hostile },
      });
      const to = { recipients: [], bytesPerSecond: null, progress: () => undefined };
      await writeBackup(file, { url: database.url, db, now: () => 0, domain: hostile, ...to });
    } finally {
      await db.close();
    }
    const shown = await runHere(["backup", "--verify", "--quiet", file], env);
    expect(shown.stdout).toContain("domain    refused 400 \\u001b]0;title\\u0007\\u009b2J\\u202e\\u000afar.example");
    expect(shown.stdout.split("\n")).toHaveLength(6);
    const listed = await runHere(["outbox", "list"], env);
    const described = await runHere(["outbox", "list", "--json"], env);
    expect(JSON.parse(described.stdout)).toEqual([expect.objectContaining({ problem: hostile })]);
    const failed = await runHere(["peers", "show", hostile], env);
    expect(failed.code).toBe(1);
    for (const { stdout, stderr } of [shown, listed, described, failed]) {
      expect(stdout + stderr).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
    }
  });

  test("config lists every variable with its group, form, default and meaning", async () => {
    const { variables, seeds } = (await json("config")) as Record<"variables" | "seeds", { variable: string }[]>;
    expect(variables.map(({ variable }) => variable)).toEqual(variableNames());
    expect(seeds.map(({ variable }) => variable)).toEqual(seedVariables());
    expect(variables[0]).toEqual({
      group: expect.any(String),
      variable: expect.any(String),
      description: expect.any(String),
      form: expect.any(String),
      fallback: expect.any(String),
    });
  });

  test("config --constants lists every constant with its value and meaning, also as text", async () => {
    const { constants } = (await json("config", "--constants")) as { constants: ReturnType<typeof listConstants> };
    expect(constants).toEqual(listConstants());
    const { stdout } = await runHere(["config", "--constants"], env);
    expect(stdout).toContain("intakeFlushMessages=1024  Messages per flush\n");
  });

  test("status --watch shows the screen again and again, and ends well on Ctrl-C", async () => {
    const watch = startCommand(["status", "--watch"], env);
    await watch.printed(/^relay\.test at [\s\S]*^relay\.test at /m);
    watch.kill("SIGINT");
    const { code, stdout } = await watch.ended;
    expect(code).toBe(0);
    // Not a terminal: nothing is cleared.
    expect(stdout).not.toContain("\u001b");
  });
});
