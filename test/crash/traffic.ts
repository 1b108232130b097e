import { newDevice, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { createLedger, keyOf, type Ledger, missing } from "./ledger.js";
import { keepPolling, pollEmpty } from "./receiving.js";
import { type Kind, keepSending, type Target } from "./sending.js";

/** Devices that send and receive without a pause, whatever happens to the relay. */
export interface Traffic {
  ledger: Ledger;
  /**
   * Ends the sending, receives until nothing is left, and tells what was accepted and never came, or came to some of those
   * to whom it should have come together.
   */
  finish(): Promise<string[]>;
}

const senders: readonly Kind[] = ["single", "batch", "stream", "to all"];
const recipientCount = 3;
const pauseMillis = 20;

/** `target.url` is read again for each request: a relay may come back elsewhere. */
export async function startTraffic(target: Target): Promise<Traffic> {
  const ledger = createLedger();
  const recipients: TestDevice[] = [];
  for (let i = 0; i < recipientCount; i++) recipients.push(await newPatientDevice(target));
  const authors: [Kind, TestDevice][] = [];
  for (const kind of senders) authors.push([kind, await newPatientDevice(target)]);
  const sending = new AbortController();
  const receiving = new AbortController();
  const loops = authors.map(([kind, device]) =>
    keepSending({ target, device, recipients, ledger, kind, pauseMillis }, sending.signal),
  );
  const receivers = recipients.map((recipient) => ({ target, recipient, ledger, pauseMillis }));
  const polling = receivers.map((receiver) => keepPolling(receiver, receiving.signal));
  return {
    ledger,
    async finish() {
      sending.abort();
      await Promise.all(loops);
      receiving.abort();
      await Promise.all(polling);
      for (const receiver of receivers) await pollEmpty(receiver);
      return [...missing(ledger), ...partlyReceived(ledger, recipients)];
    },
  };
}

/** A new device that asks again while its relay cannot reach the database: a busy proxy may consider that down for a moment. */
export async function newPatientDevice(target: Target): Promise<TestDevice> {
  const devices: TestDevice[] = [];
  await until(async () => {
    const tried = newDevice(target as TestRelay).then((device) => devices.push(device));
    await tried.catch((problem: unknown) => {
      if (!String(problem).includes("DATABASE_UNAVAILABLE")) throw problem;
    });
    return devices.length > 0;
  }, "a device is registered");
  return devices[0] as TestDevice;
}

/** Ids of messages to all that came to some. */
export function partlyReceived(ledger: Ledger, recipients: readonly TestDevice[]): string[] {
  return [...ledger.toAll].filter((id) => {
    const came = recipients.filter(({ address }) => ledger.received.has(keyOf(id, { address }))).length;
    return came > 0 && came < recipients.length;
  });
}
