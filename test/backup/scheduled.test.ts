import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWatched, type Watched } from "../health/fixture.js";
import { runCommand } from "../support/command.js";

const patience = { interval: 100 };
const hour = 3_600;
/** Longer than the job that looks for backups rests. */
const look = 31;

let folder: string;
let watched: Watched;

const backups = async (): Promise<string[]> =>
  (await readdir(join(folder, "kept")).catch(() => [])).filter((name) => name.endsWith(".backup")).sort();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mls-relay-scheduled-"));
  watched = await startWatched({
    ...{ backupDir: join(folder, "kept"), backupEvery: hour, backupKeep: 2, metricsPort: 0 },
  });
});
afterAll(async () => {
  await watched.stop();
  await rm(folder, { recursive: true });
});

async function backupAge(): Promise<number | undefined> {
  const text = await (await fetch(watched.relay.metricsUrl ?? "")).text();
  const found = /^svc_backup_age_seconds (\d+)/m.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

describe("a relay with BACKUP_DIR", () => {
  test("makes a backup every BACKUP_EVERY and keeps the last BACKUP_KEEP, complete and readable by the owner only", async () => {
    expect(await backupAge()).toBeUndefined();
    await watched.advance(look);
    await expect.poll(backups, patience).toHaveLength(1);
    const [first = ""] = await backups();
    expect(first).toMatch(/^mls-relay-relay\.test-\d{8}T\d{6}Z\.backup$/);
    expect((await stat(join(folder, "kept", first))).mode & 0o777).toBe(0o600);
    await expect.poll(backupAge, patience).toBeLessThan(hour);
    const stranger = join(folder, "kept", "mls-relay-relay.test-notes.backup");
    await writeFile(stranger, "of somebody else");
    await writeFile(join(folder, "kept", `${first}.ab12cd34.unfinished`), "of a node that died");
    for (let made = 2; made <= 3; made++) {
      const before = await backups();
      await watched.advance(hour + look);
      await expect
        .poll(async () => (await backups()).filter((name) => !before.includes(name)), patience)
        .toHaveLength(1);
      // The file is there a moment before the backup is recorded, and the next one is due an hour after that.
      await expect.poll(backupAge, patience).toBeLessThan(hour);
    }
    await expect.poll(backups, patience).toHaveLength(3);
    const left = await backups();
    expect(left).not.toContain(first);
    expect(left).toContain("mls-relay-relay.test-notes.backup");
    for (const name of left.filter((each) => !each.includes("notes"))) {
      const file = join(folder, "kept", name);
      expect(await runCommand(["backup", "--verify", file, "--quiet"], {})).toMatchObject({ code: 0 });
    }
  });

  test("raises an alert if the last backup is too old, with the reason", async () => {
    expect(await watched.alert("backup_old")).toBeUndefined();
    await rm(join(folder, "kept"), { recursive: true });
    await writeFile(join(folder, "kept"), "a file is in the way");
    await watched.advance(2 * hour + look);
    const alert = await watched.raised("backup_old");
    expect(alert).toMatchObject({ component: "database", details: { threshold_seconds: 2 * hour } });
    await rm(join(folder, "kept"));
    await watched.advance(hour);
    await watched.cleared("backup_old");
    expect(await backups()).toHaveLength(1);
  });

  test("goes on after a clock that was ahead: no backup of that time is newer than the next one", async () => {
    const [last = ""] = await backups();
    const ahead = ["2099", "2098"].map((year) => last.replace(/-\d{4}/, `-${year}`));
    for (const name of ahead) await writeFile(join(folder, "kept", name), "made by a clock that was ahead");
    const inTenYears = "floor(extract(epoch from now())) + 10 * 365 * 86400";
    await watched.db.run(`update backup_state set started_at = ${inTenYears}, finished_at = ${inTenYears}`);
    const before = await backups();
    await watched.advance(look);
    await expect.poll(async () => (await backups()).filter((name) => !before.includes(name)), patience).toHaveLength(1);
    await expect.poll(backups, patience).toHaveLength(2);
    expect(await backups()).toContain(last);
    // `inTenYears` grows by the second, so what was stored above is soon less than it.
    const isRecorded = `select finished_at < ${inTenYears} - 86400 as recorded from backup_state`;
    // As above: the file is there a moment before the backup is recorded, which would undo what is set below.
    await expect.poll(() => watched.db.one(isRecorded), patience).toEqual({ recorded: true });
    // Where nothing makes another, an alert says so.
    await rm(join(folder, "kept"), { recursive: true });
    await writeFile(join(folder, "kept"), "a file is in the way");
    await watched.db.run(`update backup_state set finished_at = ${inTenYears}`);
    expect(await watched.raised("backup_old")).toMatchObject({ message: expect.stringContaining("in the future") });
  });
});
