import type { Connection, DeviceClient } from "../../client/index.js";
import { demandSignal, ifGiven } from "../../client/runtime/arguments.js";
import type { JudgingMls } from "../mls/mls.js";
import type { UserKeys } from "../mls/user-keys.js";
import type { Users } from "../store/known-users.js";
import type { Ledger } from "../store/ledger.js";
import type { Account } from "../store/records.js";

/** State that all parts of a device share. */
export interface DeviceCore {
  readonly ledger: Ledger;
  readonly mls: JudgingMls;
  readonly device: DeviceClient;
  /** The device's connection, which answers from the store what the relay has said of itself. Sealing must not wait for the network. */
  readonly sealing: Connection;
  readonly account: Account & UserKeys & { address: string };
  readonly users: Users;
  nowMillis(): number;
  randomBytes(length: number): Uint8Array;
  /** Waits, but no longer than this device is open. */
  sleep(millis: number, signal?: AbortSignal): Promise<void>;
  /** Aborted when the device is closed. */
  readonly closing: AbortSignal;
  problem(problem: unknown): void;
}

/** Aborted with the first of several. In Node.js 20, one of `AbortSignal.timeout` that nobody refers to is forgotten before its time. */
export function firstOf(...signals: AbortSignal[]): AbortSignal {
  return Object.assign(AbortSignal.any(signals), { signals });
}

/** Aborted with the caller's signal, and when the device is closed. */
export function untilClosed({ closing }: Pick<DeviceCore, "closing">, signal?: AbortSignal): AbortSignal {
  ifGiven(signal, (given) => demandSignal(given, "signal"));
  return signal === undefined ? closing : firstOf(signal, closing);
}
