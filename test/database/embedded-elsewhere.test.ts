import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { childrenOf } from "../support/children.js";
import { ask, copyFolder, createFolder, serverPid, startEmbedded, startOtherProcess } from "../support/embedded.js";
import { until } from "../support/until.js";

// What two containers on one volume do not share. When the first process of a container dies, the kernel kills all of them.
const container = ["unshare", "--pid", "--ipc", "--fork", "--mount-proc", "--kill-child"];
const uninspecting = ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"];
const withoutNetwork = [...container, "--net"];
const remember = "create table memory (word text); insert into memory values ('kept')";
const recall = "select word from memory";
const kept = [{ word: "kept" }];

describe.runIf(process.platform === "linux" && process.getuid?.() === 0)("one data folder", () => {
  let made: Awaited<ReturnType<typeof createFolder>>;
  let folder: string;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    made = await createFolder(0o711);
    await (await startEmbedded(made.folder)).stop();
  });
  beforeEach(async () => {
    ({ folder, remove } = await createFolder(0o711));
    await copyFolder(made.folder, folder);
  });
  afterEach(() => remove());
  afterAll(() => made.remove());

  const pidFile = () => readFile(path.join(folder, "postgres/data/postmaster.pid"), "utf8");

  test("is shared by containers and the host, and the server stops with its own container", async () => {
    const first = await startOtherProcess(folder, { within: container });
    await ask(first.url, remember);
    const before = await pidFile();
    const second = await startOtherProcess(folder, { within: container });
    const host = await startEmbedded(folder);
    expect(second).toMatchObject({ adopted: true, url: first.url });
    expect(host).toMatchObject({ adopted: true, url: first.url });
    await second.leave();
    await host.stop();
    expect(await pidFile()).toBe(before);
    expect(await ask(first.url, recall)).toEqual(kept);
    await first.leave();
    expect(await serverPid(folder)).toBeUndefined();
  });

  test("is the same by another path", async () => {
    const other = path.join(folder, "other");
    await mkdir(other);
    const bind = ["unshare", "--mount", "sh", "-c", 'mount --rbind "$0" "$1" && shift && exec "$@"', folder, other];
    const first = await startEmbedded(folder);
    const second = await startOtherProcess(other, { within: bind });
    expect(second).toMatchObject({ adopted: true, url: first.url });
    await first.stop();
    expect(await ask(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
    await second.leave();
    expect(await serverPid(folder)).toBeUndefined();
  });

  test("is not opened with too little shared memory, which is said first", async () => {
    const cramped = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=1m tmpfs /dev/shm && exec "$@"', "sh"];
    const empty = path.join(folder, "empty");
    await mkdir(empty);
    for (const place of [folder, empty])
      await expect(startOtherProcess(place, { within: cramped })).rejects.toThrow(
        /: \/dev\/shm is too small; give it 64 MB/,
      );
    const first = await startEmbedded(folder);
    await first.stop();
  });

  test("is left alone by a process that cannot reach its server", async () => {
    const first = await startEmbedded(folder);
    const before = await pidFile();
    await expect(startOtherProcess(folder, { within: withoutNetwork })).rejects.toThrow(
      /cannot be reached from here runs on .* of another container/,
    );
    expect(await pidFile()).toBe(before);
    const lock = await readFile(path.join(folder, "postgres/server.lock"), "utf8");
    expect(lock, "a person who opens the file").toContain("Do not delete it");
    await first.stop();
  });

  test("is not taken for another one with the same password", async () => {
    const first = await startEmbedded(folder);
    const copy = await createFolder(0o711);
    await copyFolder(folder, copy.folder);
    const holder = spawn("flock", [path.join(copy.folder, "postgres/server.lock"), "sh", "-c", "echo; read -r _"]);
    await once(holder.stdout, "data");
    await expect(startEmbedded(copy.folder)).rejects.toThrow(/another container/);
    const ended = once(holder, "exit");
    holder.stdin.end();
    await ended;
    const second = await startEmbedded(copy.folder);
    expect(second.adopted).toBe(false);
    expect(second.url).not.toBe(first.url);
    await second.stop();
    await first.stop();
    await copy.remove();
  });

  test("is free again when a container is killed", async () => {
    const first = await startOtherProcess(folder, { within: container });
    await ask(first.url, remember);
    await first.kill();
    const second = await startEmbedded(folder);
    expect(second.adopted).toBe(false);
    expect(await ask(second.url, recall)).toEqual(kept);
    await second.stop();
  });

  test("stays in use after the relay in the server's container is killed, until the last one leaves", async () => {
    const first = await startOtherProcess(folder, {
      within: [...container, "sh", "-c", '"$@"; sleep infinity', "sh"],
      graceSeconds: 10,
    });
    const before = await pidFile();
    const second = await startEmbedded(folder);
    const [init = 0] = await childrenOf(first.child.pid);
    const [relay = 0] = await childrenOf(init);
    process.kill(relay, "SIGKILL");
    await until(async () => !(await childrenOf(init)).includes(relay), "the relay has ended");
    expect(await ask(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(await pidFile()).toBe(before);
    await second.stop();
    await until(async () => (await serverPid(folder)) === undefined, "the server has stopped");
    await first.kill();
  });

  test("has a server that root may not inspect", async () => {
    const first = await startOtherProcess(folder, { within: uninspecting });
    const second = await startOtherProcess(folder, { within: uninspecting });
    expect(second).toMatchObject({ adopted: true, url: first.url });
    await first.leave();
    expect(await ask(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
    await second.leave();
    expect(await serverPid(folder)).toBeUndefined();
  });

  test("keeps no server when the relay cannot make its database", async () => {
    const first = await startEmbedded(folder);
    await ask(first.url.replace(/relay$/, "postgres"), "drop database relay");
    await first.stop();
    await writeFile(path.join(folder, "postgres/data/operator.conf"), "default_transaction_read_only = on\n", {
      mode: 0o644,
    });
    await expect(startEmbedded(folder)).rejects.toThrow(/read-only/);
    expect(await serverPid(folder)).toBeUndefined();
  });
});
