import type { Connection, DeviceClient } from "../../client/index.js";
import { demandSignal, ifGiven } from "../../client/runtime/arguments.js";
import type { Mls } from "../mls/mls.js";
import type { Ledger } from "../store/ledger.js";

/** The identity of this device, stored when the device is created. */
export interface Account {
  relay: string;
  domain: string;
  name: string;
  /** The device's Ed25519 secret key at its relay. */
  deviceSecret: Uint8Array;
  /** The user's Ed25519 secret key, which all devices of the user have. */
  userSecret: Uint8Array;
  /** The public half of it, in hex. */
  user: string;
  /** The key pair of this device's leaves, in the form of the MLS library. */
  signer: Uint8Array;
  /** Where this device receives; missing until it is registered. */
  address?: string;
}

/** State that all parts of a device share. */
export interface Core {
  readonly ledger: Ledger;
  readonly mls: Mls;
  readonly device: DeviceClient;
  /** The device's connection, which answers from the store what the relay has said of itself. Sealing must not wait for the network. */
  readonly sealing: Connection;
  readonly account: Required<Account>;
  nowMillis(): number;
  randomBytes(length: number): Uint8Array;
  /** Waits, but no longer than this device is open. */
  sleep(millis: number, signal?: AbortSignal): Promise<void>;
  /** Aborted when the device is closed. */
  readonly closing: AbortSignal;
  problem(problem: unknown): void;
}

/** Aborted with the caller's signal, and when the device is closed. */
export function untilClosed({ closing }: Pick<Core, "closing">, signal?: AbortSignal): AbortSignal {
  ifGiven(signal, (given) => demandSignal(given, "signal"));
  return signal === undefined ? closing : AbortSignal.any([signal, closing]);
}
