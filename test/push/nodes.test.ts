import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, test } from "vitest";
import { startPushService, type TestPushService } from "../../scripts/push-service/push-service.js";
import { constantsEnvironment } from "../../src/composition/config.js";
import { createManualClock, createSystemClock } from "../../src/node/clock.js";
import { type RunningCommand, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { demand, newDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { newSleepingDevice, type SleepingDevice } from "./sleeping.js";

interface Node {
  relay: TestRelay;
  kill(): Promise<void>;
}

let service: TestPushService;
let database: TestDatabase;
const running = new Set<RunningCommand>();
const masterKey = randomBytes(32).toString("hex");

beforeAll(async () => {
  service = await startPushService();
  database = await createTestDatabase();
});
afterAll(async () => {
  for (const command of running) {
    command.kill("SIGTERM");
    await command.ended;
  }
  await service.stop();
  await database.drop();
});

async function startNode(): Promise<Node> {
  const { pushPorts = [], pushCaFile = "" } = service.config;
  const command = startCommand(["serve"], {
    ...{ HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "error", DATABASE_URL: database.url, MASTER_KEY: masterKey },
    ...{ DOMAIN: "relay.test", BASE_URL: "http://relay.test", SHUTDOWN_GRACE_SECONDS: "1" },
    ...{ PUSH_ALLOW_PRIVATE: "true", PUSH_PORTS: pushPorts.join(","), PUSH_CA_FILE: pushCaFile ?? "" },
    ...{ PUSH_JITTER_SECONDS: "0", SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false" },
    ...{ SEED_PROGRESSIVE_TRUST_ENABLED: "false", SEED_RATE_LIMITING_ENABLED: "false" },
    ...{
      CHALLENGES_PER_IP_HOUR: "1000",
      FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000",
      FIRST_ANNOUNCEMENTS_PER_IP_DAY: "1000",
    },
    ...constantsEnvironment({
      nodeDeadAfterSeconds: 3,
      pushPollMillis: 200,
      pushLeaseSeconds: 3,
      pushCatchUpSeconds: 1,
      pushTimeoutSeconds: 2,
      pushFirstPauseSeconds: 1,
      pushLongestPauseSeconds: 2,
    }),
  });
  running.add(command);
  const [, url = ""] = await command.seen(/ at (http\S+)/);
  const clock = createManualClock(createSystemClock());
  return {
    relay: { url, clock, config: { domain: "relay.test" } } as TestRelay,
    async kill() {
      running.delete(command);
      command.kill("SIGKILL");
      await command.ended;
    },
  };
}

test("every device is woken although the node that took the messages is killed meanwhile", async () => {
  const [first, second] = [await startNode(), await startNode()];
  const friend = await newDevice(first.relay);
  const devices: SleepingDevice[] = [];
  for (let count = 0; count < 40; count++) devices.push(await newSleepingDevice(first.relay, service));
  // Some pushes hang when the node dies: it holds their leases and never learns the answers.
  let asked = 0;
  service.answer = () => (asked++ % 3 === 0 ? "none" : undefined);
  const addresses = devices.map(({ address }) => address);
  for (const address of addresses) demand(await friend.send(address));
  await until(async () => asked > 0, "the first push is sent");
  await first.kill();
  service.answer = () => undefined;
  await until(
    async () => devices.every((device) => device.wakeUps().length > 0),
    "the other node wakes whom the killed one has not woken",
  );
  const again = await newSleepingDevice(second.relay, service);
  demand(await (await newDevice(second.relay)).send(again.address));
  await until(async () => again.wakeUps().length === 1, "the other node goes on");
});
