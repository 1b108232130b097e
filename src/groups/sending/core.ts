import type { Connection, DeviceClient, SealedMessage } from "../../client/index.js";
import type { Body } from "../encoding/content.js";
import type { Mls } from "../mls/mls.js";
import type { Ledger, Transaction } from "../store/ledger.js";

/** Who this device is. Stored when the device is made. */
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

/** What is to be sent, and repeated until each recipient's relay has answered. */
export interface OutboxItem {
  group: string;
  /** The id of the message that this is. */
  message?: string;
  /** One for each recipient, each sealed differently. Those that were accepted are taken out. */
  copies: SealedMessage[];
  createdAtMillis: number;
  /** Its content, if this device had long been offline when it was sealed: the others may no longer have the keys of that epoch. */
  body?: Body;
}

/** What all parts of one device share. */
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
  /** Whether everything that was queued when this device connected has been received. */
  isDrained(): boolean;
  /** Whether so many messages wait for later epochs that commits must be followed before further messages are taken. */
  isCrowded(): boolean;
  /** Aborted when the device is closed. */
  readonly closing: AbortSignal;
  /** Resolves once this device has followed the group as far as it can, or is in it no more. */
  followed(group: string): Promise<void>;
  /** Whether this device has entered the group's present epoch after this time, or is in the group no more. */
  isNewerEpoch(group: string, thanMillis: number): boolean;
  /** Whether this device has been offline for so long that its groups may have left their epochs long ago. */
  isBehind(): boolean;
  /** Seals the content of an item of the outbox again in the group's present epoch. Undefined if this device may no longer send it. */
  sealAgain(transaction: Transaction, group: string, body: Body): Promise<SealedMessage[] | undefined>;
  /** Puts something into the outbox, in a transaction that is made anyway. */
  post(transaction: Transaction, item: OutboxItem): void;
  problem(problem: unknown): void;
  /** Has `sealing` answer what the relay says of itself now. */
  rediscover(): Promise<void>;
}
