import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../../src/composition/config.js";
import { createSystemClock } from "../../src/node/clock.js";
import { type RunningCommand, startCommand } from "../support/command.js";
import { newDevice } from "../support/device.js";
import { ask, createFolder, serverPid, startEmbedded } from "../support/embedded.js";
import type { TestRelay } from "../support/relay.js";
import { openDeviceStream } from "../support/stream.js";

let place: Awaited<ReturnType<typeof createFolder>>;
let running: RunningCommand | undefined;

beforeAll(async () => {
  place = await createFolder(0o711);
});
afterAll(async () => {
  running?.kill("SIGTERM");
  await running?.ended;
  await place.remove();
});

test("two workers on the embedded PostgreSQL: one port, both serve, and nothing is left running at the end", async () => {
  const env = {
    DATA_DIR: place.folder,
    DOMAIN: "relay.test",
    HOST: "127.0.0.1",
    PORT: "0",
    LOG_LEVEL: "warn",
    DATABASE_POOL_SIZE: "4",
    SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
    FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000",
  };
  running = startCommand(["serve", "--workers", "2"], env);
  const [, url = ""] = await running.seen(/ at (http\S+)[\s\S]*workers +2/);
  const relay = { url, config: loadConfig(env), clock: createSystemClock() } as unknown as TestRelay;
  const [anna, ben] = [await newDevice(relay), await newDevice(relay)];
  // Connections are dealt to the workers in turn.
  const streams = [await openDeviceStream(url, anna.token), await openDeviceStream(url, ben.token)];
  const { url: databaseUrl, adopted, stop } = await startEmbedded(place.folder);
  expect(adopted).toBe(true);
  const open = "select distinct stream_node from queues where stream_node is not null";
  expect(await ask(databaseUrl, open)).toHaveLength(2);
  await stop();
  for (const from of [anna, ben]) {
    for (const to of [anna, ben]) expect((await from.send(to.address)).status).toBe(202);
  }
  for (const stream of streams) {
    const ids = [await stream.next("message"), await stream.next("message")].map(({ data }) => data.message_id);
    for (const id of ids) expect(await stream.ack(id)).toBe(true);
  }
  for (const device of [anna, ben]) expect((await device.poll()).body.messages).toEqual([]);

  running.kill("SIGTERM");
  expect((await running.ended).code).toBe(0);
  for (const stream of streams) expect(await stream.closed).toMatchObject({ code: 1012 });
  expect(await serverPid(place.folder)).toBeUndefined();
});
