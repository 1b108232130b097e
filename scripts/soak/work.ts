import { setTimeout as sleep } from "node:timers/promises";
import { type Ledger, missing } from "../../test/crash/ledger.js";
import { keepPolling, keepStreaming, pollEmpty, type Receiver } from "../../test/crash/receiving.js";
import { type Kind, keepSending, type Target } from "../../test/crash/sending.js";
import { partlyReceived } from "../../test/crash/traffic.js";
import { newDevice, type TestDevice } from "../../test/support/device.js";
import type { TestRelay } from "../../test/support/relay.js";
import { type KeyPackageLedger, keepKeyPackages } from "./key-packages.js";
import { keepLettingExpire, type Overdue } from "./overdue.js";
import type { Relays } from "./relays.js";

/** All work of the soak, in progress. */
export interface Work {
  ledger: Ledger;
  keyPackages: KeyPackageLedger;
  overdue: Overdue;
  /** Stops sending, and receives until everything has arrived or something is clearly lost. */
  finish(): Promise<Losses>;
}

/**
 * What was accepted but never arrived, and what arrived at only some of the recipients of an all-or-nothing message.
 */
interface Losses {
  lost: string[];
  partly: string[];
}

const kinds: readonly Kind[] = ["single", "batch", "stream", "to all"];
const sendPauseMillis = 150;
const pollPauseMillis = 300;
const patienceMillis = 180_000;

/**
 * Devices of the first relay send to each other in every way, and messages go to the other relay and come from there. Half
 * of the recipients poll, half have streams that come and go.
 */
export async function startWork(relays: Relays, ledger: Ledger): Promise<Work> {
  const { first, second } = relays;
  const sending = new AbortController();
  const receiving = new AbortController();
  const here = await newDevices(first.target, 4);
  const there = await newDevices(second.target, 2);
  const receivers = [...receiversOf(first.target, here, ledger), ...receiversOf(second.target, there, ledger)];
  const receipts = receivers.map((receiver, at) =>
    (at % 2 === 0 ? keepPolling : keepStreaming)(receiver, receiving.signal),
  );
  const send = async (target: Target, recipients: readonly TestDevice[], kind: Kind): Promise<void> => {
    const [device] = (await newDevices(target, 1)) as [TestDevice];
    return keepSending({ target, device, recipients, ledger, kind, pauseMillis: sendPauseMillis }, sending.signal);
  };
  const keyPackages = await keepKeyPackages(first.target, sending.signal);
  const overdue = await keepLettingExpire(first, sending.signal);
  const loops = [
    ...kinds.map((kind) => send(first.target, here, kind)),
    send(first.target, there, "batch"),
    send(second.target, here, "single"),
    keyPackages.ended,
    overdue.ended,
  ];
  return {
    ledger,
    keyPackages: keyPackages.ledger,
    overdue: overdue.overdue,
    async finish() {
      sending.abort();
      await Promise.all(loops);
      const deadline = performance.now() + patienceMillis;
      while (missing(ledger).length > 0 && performance.now() < deadline) await sleep(pollPauseMillis);
      receiving.abort();
      await Promise.all(receipts);
      for (const receiver of receivers) await pollEmpty(receiver);
      return { lost: missing(ledger), partly: partlyReceived(ledger, here) };
    },
  };
}

async function newDevices(target: Target, count: number): Promise<TestDevice[]> {
  const devices: TestDevice[] = [];
  for (let i = 0; i < count; i++) devices.push(await newDevice(target as TestRelay));
  return devices;
}

function receiversOf(target: Target, devices: readonly TestDevice[], ledger: Ledger): Receiver[] {
  return devices.map((recipient) => ({ target, recipient, ledger, pauseMillis: pollPauseMillis }));
}
