import { spawnSync } from "node:child_process";
import { appendFile, chown, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EmbeddedPostgres } from "../../src/database/embedded/server.js";
import { migrate } from "../../src/database/migrations/migrate.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { newDevice } from "../support/device.js";
import { createFolder, startEmbedded } from "../support/embedded.js";
import { startRelay, type TestRelay } from "../support/relay.js";

// The small disk is a file system in memory, which only root can mount: for other accounts these tests are skipped.
const diskBytes = 3 * 1024 * 1024;
const messageBytes = 100_000;
const maxMessages = 100;

const small = await mkdtemp(join(tmpdir(), "mls-relay-small-disk-"));
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${diskBytes}`, "tmpfs", small]).status === 0;
let data: Awaited<ReturnType<typeof createFolder>>;
let postgres: EmbeddedPostgres;
let relay: TestRelay;

beforeAll(async () => {
  data = await createFolder(0o711);
  postgres = await startEmbedded(data.folder);
  const db = createDatabase({ url: postgres.url, poolSize: 1 });
  await migrate(db);
  if (mounted) await moveMessages(db);
  await db.close();
  relay = await startRelay({
    databaseUrl: postgres.url,
    dataDir: data.folder,
    alertCheckSeconds: 0.5,
    metricsPort: 0,
    seeds: { SEED_RATE_LIMITING_ENABLED: "false" },
  });
});
afterAll(async () => {
  await relay.stop();
  await postgres.stop();
  if (mounted) spawnSync("umount", [small]);
  await rm(small, { recursive: true, force: true });
  await data.remove();
});

/** Moves the queues to the small disk; everything else stays on the ordinary one. */
async function moveMessages(db: ReturnType<typeof createDatabase>): Promise<void> {
  const owner = await stat(join(data.folder, "postgres/data"));
  const folder = join(small, "space");
  await mkdir(folder);
  for (const path of [small, folder]) await chown(path, owner.uid, owner.gid);
  await db.run(`create tablespace small location '${folder}'`);
  await db.run("alter table messages set tablespace small");
  await db.run("alter table write_probe set tablespace small");
}

/** Sends until the disk is full, or until `maxMessages`. */
async function fill(): Promise<{ ben: Awaited<ReturnType<typeof newDevice>>; accepted: string[]; refusals: number[] }> {
  const [anna, ben] = [await newDevice(relay), await newDevice(relay)];
  const accepted: string[] = [];
  const refusals: number[] = [];
  for (let i = 0; i < maxMessages && refusals.length < 3; i++) {
    const answer = await anna.send(ben.address, { ciphertext: new Uint8Array(messageBytes).fill(i) });
    if (answer.status === 202) accepted.push(answer.body.message_id);
    else refusals.push(answer.status);
  }
  return { ben, accepted, refusals };
}

describe.skipIf(!mounted)("on a small disk", () => {
  test("a node is not ready while its database's disk is full, and ready once there is room", async () => {
    const readyz = async () => {
      const answer = await fetch(`${relay.url}/readyz`);
      return answer.status === 200 ? 200 : ((await answer.json()) as { reason?: string }).reason;
    };
    await expect.poll(readyz).toBe(200);
    const filler = join(small, "filler");
    const size = diskBytes * 2;
    await expect
      .poll(async () => {
        // Again and again: a file that PostgreSQL has just removed leaves room for one more write.
        await appendFile(filler, Buffer.alloc(size)).catch(() => undefined);
        return readyz();
      })
      .toBe("disk")
      .finally(() => rm(filler));
    await expect.poll(readyz).toBe(200);
  });

  test("a full disk refuses sends with 503, and accepted messages can still be polled and acknowledged", async () => {
    const { ben, accepted, refusals } = await fill();
    expect(refusals).toEqual([503, 503, 503]);
    expect(accepted.length).toBeGreaterThan(5);
    const { body } = await ben.poll({ limit: 100 });
    expect(body.messages.map(({ message_id }) => message_id)).toEqual(accepted);
    expect((await ben.ack(accepted)).body.acknowledged_count).toBe(accepted.length);
    const left = await ben.poll();
    expect(left.body.messages).toEqual([]);
  });
});

test("the free space of the embedded database's disk is a metric", async () => {
  const text = await (await fetch(new URL("/metrics", relay.metricsUrl ?? ""))).text();
  expect(Number(/^svc_disk_free_bytes\{node="[0-9a-f]+"\} (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
});
