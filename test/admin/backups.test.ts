import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWatched, type Watched } from "../health/fixture.js";
import { adminKeys, logIn, startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { runCommand } from "../support/command.js";
import { demand } from "../support/device.js";

const patience = { interval: 100 };
const week = 604_800;
/** Longer than the job that looks for backups rests. */
const look = 31;

let folder: string;
let watched: Watched;
let admin: TestAdmin;
let viewer: TestAdmin;
const keys = { all: adminKeys("manage_config"), viewer: adminKeys("view_metrics") };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mls-relay-requested-"));
  const adminList = [keys.all.seed, keys.viewer.seed].join(",");
  watched = await startWatched({ backupDir: join(folder, "kept"), backupEvery: week, backupKeep: 3, adminList });
  [admin, viewer] = [await logIn(watched.relay, keys.all), await logIn(watched.relay, keys.viewer)];
});
afterAll(async () => {
  await watched.stop();
  await rm(folder, { recursive: true });
});

const list = async () => demand(await call(watched.relay, "listBackups", { token: admin.token })).body;
const finished = async () => (await list()).backups.map(({ origin }) => origin);
const start = ({ token } = admin) => call(watched.relay, "startBackup", { token });

describe("backups of a relay with BACKUP_DIR", () => {
  test("are listed when they are made by the schedule", async () => {
    expect(await list()).toMatchObject({
      schedule: { enabled: true, every_seconds: week, keep: 3, encrypted: false },
      requested_at: null,
      running_since: null,
    });
    await watched.advance(look);
    await expect.poll(finished, patience).toEqual(["schedule"]);
    const [first] = (await list()).backups;
    expect(await readdir(join(folder, "kept"))).toEqual([first?.file]);
    expect(first).toMatchObject({ problem: null });
    expect(first?.bytes).toBeGreaterThan(1_000);
  });

  test("are made when an administrator asks, one at a time", async () => {
    expect((await start(viewer)).status).toBe(403);
    const { body } = demand(await start());
    expect(await list()).toMatchObject({ requested_at: body.requested_at });
    expect(await start()).toMatchObject({ status: 409, body: { error: "CONFLICT" } });
    await watched.advance(look);
    await expect.poll(finished, patience).toEqual(["administrator", "schedule"]);
    expect(await list()).toMatchObject({ requested_at: null, running_since: null });
    expect(await readdir(join(folder, "kept"))).toHaveLength(2);
  });

  test("that a command made are in the list", async () => {
    const { config, databaseUrl } = watched.relay;
    const env = { DATABASE_URL: databaseUrl, DOMAIN: config.domain };
    const file = join(folder, "by-hand.backup");
    expect(await runCommand(["backup", file, "--quiet"], env)).toMatchObject({ code: 0 });
    expect((await list()).backups[0]).toMatchObject({ origin: "command", file: "by-hand.backup" });
  });

  test("that fail are in the list with the reason", async () => {
    await rm(join(folder, "kept"), { recursive: true });
    await writeFile(join(folder, "kept"), "not a folder");
    demand(await start());
    await watched.advance(look);
    await expect.poll(async () => (await list()).backups[0]?.problem, patience).toMatch(/EEXIST|ENOTDIR/);
    expect(await list()).toMatchObject({ requested_at: null, running_since: null });
  });
});

test("a relay without BACKUP_DIR refuses to start one", async () => {
  const { relay, admin: other } = await startAdministered();
  try {
    const answer = await call(relay, "startBackup", { token: other.token });
    expect(answer).toMatchObject({ status: 409, body: { error: "CONFLICT" } });
    const { schedule } = demand(await call(relay, "listBackups", { token: other.token })).body;
    expect(schedule.enabled).toBe(false);
  } finally {
    await relay.stop();
  }
});
