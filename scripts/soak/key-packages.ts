import { setTimeout as sleep } from "node:timers/promises";
import type { Target } from "../../test/crash/sending.js";
import { newDevice, type TestDevice } from "../../test/support/device.js";
import { fetchPackage, newPackages, packageStatus, upload } from "../../test/support/key-packages.js";
import type { TestRelay } from "../../test/support/relay.js";

/** What is known for certain of the key packages of one device. */
export interface KeyPackageLedger {
  /** Packages whose upload was confirmed. */
  uploaded: number;
  given: Set<string>;
  /** Packages that were given out a second time. */
  doubled: string[];
  /** Fetches without an answer: each may have taken a package. */
  unanswered: number;
  /**
   * Packages that are gone although no fetch can have taken them: must never exceed 0. Undefined if the relay does not
   * report how many are left.
   */
  lost(): Promise<number | undefined>;
}

const pauseMillis = 500;
const packagesPerUpload = 5;

/** One device uploads key packages and another fetches them, until the signal comes. */
export async function keepKeyPackages(target: Target, signal: AbortSignal) {
  const relay = target as TestRelay;
  const [owner, other] = [await newDevice(relay), await newDevice(relay)];
  const ledger: KeyPackageLedger = {
    uploaded: 0,
    given: new Set(),
    doubled: [],
    unanswered: 0,
    async lost() {
      const status = await packageStatus(relay, owner).catch(() => undefined);
      if (status?.status !== 200) return undefined;
      return ledger.uploaded - ledger.given.size - ledger.unanswered - status.body.available_count;
    },
  };
  const keepGoing = async (): Promise<void> => {
    for (let turn = 0; !signal.aborted; turn++) {
      if (turn % packagesPerUpload === 0) await uploadSome(relay, owner, ledger);
      else await fetchOne(relay, { owner, other, ledger });
      await sleep(pauseMillis);
    }
  };
  return { ledger, ended: keepGoing() };
}

async function uploadSome(relay: TestRelay, owner: TestDevice, ledger: KeyPackageLedger): Promise<void> {
  const answer = await upload(relay, owner, { packages: newPackages(packagesPerUpload) }).catch(() => undefined);
  if (answer !== undefined && answer.status < 300) ledger.uploaded += answer.body.uploaded_count;
}

async function fetchOne(
  relay: TestRelay,
  { owner, other, ledger }: { owner: TestDevice; other: TestDevice; ledger: KeyPackageLedger },
): Promise<void> {
  const answer = await fetchPackage(relay, other, owner.deviceId).catch(() => undefined);
  if (answer === undefined || answer.status >= 500) {
    ledger.unanswered++;
  } else if (answer.status === 200) {
    const { key_package } = answer.body;
    if (ledger.given.has(key_package)) ledger.doubled.push(key_package);
    ledger.given.add(key_package);
  }
}
