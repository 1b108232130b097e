import { setTimeout as sleep } from "node:timers/promises";
import { startPushService, type TestPushService } from "../push-service/push-service.js";
import { createDemoClient, type DemoClient, expectSeen } from "./client.js";
import type { Say } from "./log.js";
import { startOwnRelay } from "./relays.js";

const line = "Are you awake?";
const patienceMillis = 30_000;

/**
 * A new relay, a push service, and a member of a group whose device sleeps: it holds no stream and does not poll. A message makes
 * the relay push, the push wakes the device, and the device reads the message. Throws if anything else happens.
 */
export async function playPushScenario({ say }: { say: Say }): Promise<void> {
  const service = await startPushService();
  const { pushPorts = [], pushCaFile } = service.config;
  try {
    say("service", `a push service runs at ${service.origin}`);
    const relay = await startOwnRelay({
      ...{ PUSH_ALLOW_PRIVATE: "true", PUSH_PORTS: pushPorts.join(","), PUSH_CA_FILE: pushCaFile ?? "" },
      PUSH_JITTER_SECONDS: "1",
    });
    try {
      const [ada, cleo] = [await createDemoClient("ada", relay, say), await createDemoClient("cleo", relay, say)];
      await wakeCleo({ ada, cleo, service, say });
    } finally {
      await relay.stop();
    }
  } finally {
    await service.stop();
  }
}

interface Scene {
  ada: DemoClient;
  cleo: DemoClient;
  service: TestPushService;
  say: Say;
}

async function wakeCleo({ ada, cleo, service, say }: Scene): Promise<void> {
  for (const client of [ada, cleo]) await client.register();
  const key = await cleo.device.push.applicationServerKey();
  if (key === undefined) throw new Error("the relay sends no pushes");
  const subscription = service.subscribe(Buffer.from(key).toString("base64url"));
  let taken = 0;
  /** Waits for a push, which the platform would hand to cleo's application. */
  const nextPush = async (): Promise<string> => {
    for (const end = performance.now() + patienceMillis; performance.now() < end; await sleep(50)) {
      const push = subscription.received[taken];
      if (push === undefined) continue;
      taken += 1;
      say("service", `delivers ${push.bodyBytes} encrypted bytes, urgency ${push.headers["urgency"]}`);
      return JSON.stringify(push.content);
    }
    throw new Error("no push came");
  };

  const { endpoint, p256dh, auth } = subscription;
  // She is woken for messages only, not because few of her key packages are left.
  await cleo.device.push.subscribe({ endpoint, keys: { p256dh, auth } }, { urgency: "high" });
  await cleo.wake(await nextPush());
  if (!(await cleo.device.push.status()).confirmed) throw new Error("the subscription is not confirmed");
  say("cleo", "echoes the code that was pushed, and goes to sleep: no stream, no polls");

  await ada.member.found("the night watch");
  const keyPackage = await ada.fetchKeyPackageOf(cleo);
  const { welcome } = await ada.member.add([keyPackage]);
  await ada.welcome(welcome, [{ client: cleo, keyPackage }]);
  await ada.write(line, [cleo]);
  say("ada", "adds cleo to a group and writes to her");
  await cleo.wake(await nextPush());
  expectSeen(cleo, ["a welcome, and joined in epoch 1", `"${line}"`]);
  say("cleo", "was woken, read what waited, and sleeps again");
}
