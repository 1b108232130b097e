// Makes the device of a store, the first time that it is opened: as a new user's, as a further one of a user, or from a backup.

import { type Admission, type DeviceClient, deviceKeysOf, loaded, newSecretKey } from "../client/index.js";
import { encodeHex } from "../protocol/encodings.js";
import type { LinkOptions } from "./devices/linking.js";
import { demandName } from "./encoding/names.js";
import { encodeRecord } from "./encoding/records.js";
import type { Mls } from "./mls/mls.js";
import type { RestoreOptions } from "./recovery/backup.js";
import type { Ledger } from "./store/ledger.js";
import { accountKey, askKey, linkPrefix, sessionKey, unlinkedKey } from "./store/record-keys.js";
import type { Account, Unlinked } from "./store/records.js";
import type { Store } from "./store/store.js";

/** Those of `openGroups` that are for the first time. */
interface Options {
  store: Store;
  mls: Mls;
  name?: string | undefined;
  admission?: Admission | undefined;
  link?: LinkOptions | undefined;
  restore?: RestoreOptions | undefined;
}

interface Making {
  ledger: Ledger;
  /** The account, if a crash came before the relay had given it an address. */
  stored: Account | undefined;
  secret: Uint8Array;
  device: DeviceClient;
  relay: string;
}

/** The account is stored before the relay hears of it. */
export async function makeDevice(options: Options, { stored, ...making }: Making): Promise<Account> {
  const begun = stored ?? (await begin(options, making));
  return begun.address === undefined ? register(begun, { device: making.device, options }) : begun;
}

async function begin(
  options: Options,
  { ledger, secret, device, relay }: { ledger: Ledger; secret: Uint8Array; device: DeviceClient; relay: string },
): Promise<Account> {
  const { name, mls, store, link, restore } = options;
  const { connection } = device;
  // A device that was made with a name that others refuse could never be added to a group.
  if (link === undefined && restore === undefined) demandName(name);
  const unlinked = { relay, deviceSecret: secret };
  const signer = await mls.newSigner();
  const linked = link && (await becomeLinked(options, { device, link, unlinked }));
  const signatureKey = restore && (await mls.publicKeyOf(signer));
  const restored =
    signatureKey &&
    (await (
      await loaded(import("./recovery/backup.js"))
    ).restoreBackup(ledger, restore, { secret, connection, signatureKey }));
  const given = linked ?? restored;
  const userSecret = given?.userSecret ?? newSecretKey(connection.runtime.randomBytes);
  const { user = encodeHex(deviceKeysOf(userSecret).publicKey), successors = [] } = given ?? {};
  const own = { deviceSecret: secret, userSecret, user, successors, signer, recovery: linked?.recovery };
  const account = { relay, domain: connection.domain, name: given?.name ?? (name as string), ...own };
  const asking = linked && [
    [`${linkPrefix}0`, encodeRecord(linked.link)] as const,
    [askKey, encodeRecord({})] as const,
  ];
  await store.write([
    [accountKey, encodeRecord(account)],
    [unlinkedKey, undefined],
    ...(asking ?? []),
    ...(restored?.changes ?? []),
  ]);
  return account;
}

/** On a new device: stored before the relay hears of it, like an account. */
async function becomeLinked(
  { store, admission }: Options,
  { device, link, unlinked }: { device: DeviceClient; link: LinkOptions; unlinked: Unlinked },
) {
  await store.write([[unlinkedKey, encodeRecord(unlinked)]]);
  const { receiveLink } = await loaded(import("./devices/linking.js"));
  return receiveLink(device, { ...link, admission });
}

async function register(
  account: Account,
  { device, options: { store, admission } }: { device: DeviceClient; options: Options },
): Promise<Account> {
  const session = device.session() ?? (await device.register({ admission }));
  const address = session.addresses.at(-1);
  if (address === undefined) throw new Error("the relay has given no address");
  const registered = { ...account, address };
  await store.write([
    [accountKey, encodeRecord(registered)],
    [sessionKey, encodeRecord(session)],
  ]);
  return registered;
}
