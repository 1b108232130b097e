import { setTimeout as sleep } from "node:timers/promises";
import { newDevice, type TestDevice } from "../../test/support/device.js";
import type { TestRelay } from "../../test/support/relay.js";
import { askOnce } from "./ask-once.js";
import type { SoakRelay } from "./relays.js";

/** Messages whose retention period has ended. */
export interface Overdue {
  /** How many there have been. */
  made(): number;
  /** Whether the job that removes them has removed all of them, now or after some waiting. */
  gone(): Promise<boolean>;
}

const pauseMillis = 1_000;
const patienceMillis = 60_000;

/** Until the signal comes, sends messages to a device that never fetches them, and sets their expiry to the past. */
export async function keepLettingExpire({ target, databaseUrl }: SoakRelay, signal: AbortSignal) {
  const relay = target as TestRelay;
  const [sender, absent] = [await newDevice(relay), await newDevice(relay)];
  let made = 0;
  const keepGoing = async (): Promise<void> => {
    while (!signal.aborted) {
      made += await letOneExpire(databaseUrl, sender, absent).catch(() => 0);
      await sleep(pauseMillis);
    }
  };
  const overdue: Overdue = {
    made: () => made,
    async gone() {
      for (const end = performance.now() + patienceMillis; performance.now() < end; await sleep(pauseMillis)) {
        const left = await askOnce(databaseUrl, "select 1 from messages where expires_at = 1 limit 1").catch(
          () => null,
        );
        if (left?.length === 0) return true;
      }
      return false;
    },
  };
  return { overdue, ended: keepGoing() };
}

async function letOneExpire(databaseUrl: string, sender: TestDevice, absent: TestDevice): Promise<number> {
  const { status } = await sender.send(absent.address);
  if (status !== 202) return 0;
  const statement = "update messages set expires_at = 1 where device_id = :deviceId";
  await askOnce(databaseUrl, statement, { deviceId: absent.deviceId });
  return 1;
}
