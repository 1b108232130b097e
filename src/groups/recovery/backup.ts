// What a backup has, and how a new device is made of it: the user's key, the doors of their groups, what the user has set, and messages. It has no key of a device and no key of a
// group, so nothing of a group can be read with it: the new device is a further device of the user, whom the members let in again.

import { type Connection, deviceKeysOf } from "../../client/index.js";
import { decodeHex, encodeHex } from "../../protocol/encodings.js";
import { decodeRecord, encodeRecord } from "../encoding/records.js";
import type { Membership } from "../membership/membership.js";
import { recoveryOf } from "../mls/recovery-signatures.js";
import type { UserKeys } from "../mls/user-keys.js";
import type { DeviceCore } from "../sending/device-core.js";
import type { Message } from "../store/events.js";
import type { Ledger } from "../store/ledger.js";
import { importMessages } from "../store/messages.js";
import {
  deniedPrefix,
  endPrefix,
  indexPrefix,
  localPrefix,
  lostPrefix,
  messagePrefix,
  userKeysPrefix,
  verifiedPrefix,
} from "../store/record-keys.js";
import type { Lost, Recovery } from "../store/records.js";
import type { StoreChange } from "../store/store.js";
import { openBackup, sealBackup } from "./backup-file.js";
import { RecoveryError } from "./recovery-error.js";
import { newRecoveryKey, readRecoveryKey } from "./recovery-key.js";

export interface RestoreOptions {
  /** What `Groups.exportBackup` has written. */
  backup: Blob | Uint8Array | ReadableStream<Uint8Array>;
  /** The recovery key, as it was shown: blanks and other signs between the digits make no difference. */
  key: string;
}

/** The first record. */
interface UserRecord extends Partial<UserKeys> {
  userSecret: Uint8Array;
  name: string;
  recovery: Recovery;
  /** By the relay's clock. */
  madeAtMillis: number;
}

interface GroupRecord {
  group: string;
  name: string;
  door: Uint8Array;
  to: string[];
  /** Nobody but the user is in it. */
  isAlone: boolean;
}

type BackupRecord =
  | { user: UserRecord }
  | { group: GroupRecord }
  /** A record of the store. */
  | { key: string; value: Uint8Array }
  | { message: Message };

const messagesAtOnce = 200;

/** What a new device has of the old one. `changes` are stored with the device's account. The recovery key is not in it: it may have been ended since. */
interface Restored extends Pick<UserRecord, "userSecret" | "name" | keyof UserKeys> {
  changes: StoreChange[];
}

interface RestoredDevice {
  secret: Uint8Array;
  connection: Pick<Connection, "clock">;
  /** Of its leaves. */
  signatureKey: Uint8Array;
}

/** What a user sets for themself. */
const copied: readonly string[] = [verifiedPrefix, userKeysPrefix, deniedPrefix, localPrefix];
/** What `importMessages` stores. */
const imported: readonly string[] = [messagePrefix, indexPrefix, endPrefix];

/** Encrypts a backup, in parts of a bounded size. */
export function exportBackup(
  core: DeviceCore,
  memberships: ReadonlyMap<string, Membership>,
  { messages = false }: { messages?: boolean } = {},
): ReadableStream<Uint8Array> {
  const { recovery } = core.account;
  if (recovery === undefined) throw new Error("make a recovery key first");
  const sealed = sealBackup(recordsOf(core, memberships, messages), { ...recovery, randomBytes: core.randomBytes });
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await sealed.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await sealed.return(undefined)),
  });
}

async function* recordsOf(
  { ledger: { store }, account, nowMillis }: DeviceCore,
  memberships: ReadonlyMap<string, Membership>,
  withMessages: boolean,
): AsyncGenerator<BackupRecord> {
  const { userSecret, user, successors, name: own, recovery } = account;
  yield {
    user: { userSecret, user, successors, name: own, recovery: recovery as Recovery, madeAtMillis: nowMillis() },
  };
  const followed = [...memberships.values()].filter(({ isFollowed }) => isFollowed);
  for (const membership of followed) {
    const { id: group, name, stored } = membership;
    if (stored.door === undefined) continue;
    const isAlone = membership.members().every(({ isSigned, user }) => isSigned && user === account.user);
    yield { group: { group, name, door: stored.door, to: membership.recipients(), isAlone } };
  }
  for (const prefix of copied) for (const [key, value] of await store.list({ prefix })) yield { key, value };
  if (!withMessages) return;
  const groups = followed.map(({ id }) => `${messagePrefix}${id}/`);
  for (const prefix of groups) {
    for (let after: string | undefined; ; ) {
      const page = await store.list({ prefix, limit: messagesAtOnce, ...(after !== undefined && { after }) });
      for (const [, value] of page) {
        const message = decodeRecord<Message>(value);
        // The others have agreed with their author that they do not stay.
        if (message.disappearsAtMillis === undefined) yield { message };
      }
      after = page.at(-1)?.[0];
      if (after === undefined) break;
    }
  }
}

/** Reads a backup, and stores its messages. Throws RecoveryError: then the store has nothing of it. */
export async function restoreBackup(
  ledger: Ledger,
  options: RestoreOptions,
  device: RestoredDevice,
): Promise<Restored> {
  // A crash may have left messages of another one.
  await dropMessages(ledger);
  try {
    return await takeBackup(ledger, options, device);
  } catch (failure) {
    await dropMessages(ledger);
    throw failure;
  }
}

async function dropMessages({ store }: Ledger): Promise<void> {
  for (const prefix of imported) {
    let found = await store.list({ prefix, limit: messagesAtOnce });
    while (found.length > 0) {
      await store.write(found.map(([key]) => [key, undefined]));
      found = await store.list({ prefix, limit: messagesAtOnce });
    }
  }
}

async function takeBackup(
  ledger: Ledger,
  { backup, key }: RestoreOptions,
  { secret, connection: { clock }, signatureKey }: RestoredDevice,
): Promise<Restored> {
  const { deviceId: device } = deviceKeysOf(secret);
  const { signatureSecret, fileKey } = readRecoveryKey(key);
  let user: UserRecord | undefined;
  const changes: StoreChange[] = [];
  let messages: Message[] = [];
  let first = 0;
  const store = async (own: string) => {
    await ledger.inTurn(async (transaction) => {
      await importMessages(transaction, { messages, user: own, nowMillis: clock.nowMillis(), first });
      await transaction.commit();
    });
    first += messages.length;
    messages = [];
  };
  for await (const record of openBackup<BackupRecord>(bytesOf(backup), fileKey)) {
    if ("user" in record) user = record.user;
    if (user === undefined) throw new RecoveryError("damaged");
    const own = ownOf(user);
    if ("group" in record) {
      const { group, ...rest } = record.group;
      const groupId = decodeHex(group) ?? new Uint8Array();
      const replaces = recoveryOf(groupId, { user: own, device, signatureKey }, signatureSecret);
      const lost: Lost = { ...rest, replaces, sinceMillis: clock.nowMillis(), askedAtMillis: 0 };
      changes.push([lostPrefix + group, encodeRecord(lost)]);
    }
    if ("key" in record && copied.some((prefix) => record.key.startsWith(prefix)))
      changes.push([record.key, record.value]);
    if ("message" in record) messages.push(record.message);
    if (messages.length === messagesAtOnce) await store(own);
  }
  if (user === undefined) throw new RecoveryError("damaged");
  await store(ownOf(user));
  const { userSecret, successors, name } = user;
  return { userSecret, user: ownOf(user), ...(successors && { successors }), name, changes };
}

function ownOf({ userSecret, user = encodeHex(deviceKeysOf(userSecret).publicKey) }: UserRecord): string {
  return user;
}

async function* bytesOf(backup: RestoreOptions["backup"]): AsyncGenerator<Uint8Array> {
  const { body } = new Response(backup as BodyInit);
  const reader = body?.getReader();
  for (;;) {
    const read = await reader?.read();
    if (read === undefined || read.done) return;
    yield read.value;
  }
}

/** A new recovery key, and what the devices keep of it. */
export function makeRecoveryKey({ randomBytes }: Pick<DeviceCore, "randomBytes">): { key: string; recovery: Recovery } {
  const key = newRecoveryKey(randomBytes);
  const { publicKey, fileKey } = readRecoveryKey(key);
  return { key, recovery: { publicKey, fileKey } };
}
