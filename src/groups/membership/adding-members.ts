// How members add others: this device claims the new members' key packages from their relays and checks them. If one address has to wait, the
// others do not.

import { sha256 } from "@noble/hashes/sha2.js";
import { type ClaimedKeyPackage, claimKeyPackages, isAnswer, NotLoadedError } from "../../client/index.js";
import { demandAddress, demandArray } from "../../client/runtime/arguments.js";
import { encodeHex, utf8 } from "../../protocol/encodings.js";
import type { Change, Joiner, Refused, Wait } from "../mls/changes.js";
import { directUsersOf } from "../mls/direct-chat-users.js";
import { maxAddedAtOnce } from "../mls/group-size.js";
import { joinerOf } from "../mls/joiners.js";
import type { DeviceCore } from "../sending/device-core.js";
import { keptMillis, passes } from "../sending/retry.js";
import { type Key, keyOf, knownPrefix } from "../store/record-keys.js";
import { makeCounting } from "./making-commits.js";
import type { Membership } from "./membership.js";
import { wantChange } from "./waiting-changes.js";

const firstPauseMillis = 1_000;
const longestPauseMillis = 60_000;
/** How long to wait once for a package with the user's new key. A relay gives out few packages of a device in an hour, so there is no second wait. */
const renewedMillis = 4_000;
/** The wait if a relay names a limit without its end, as for a blocked device. */
const longestLimitMillis = 3_600_000;
/** Addresses in one claim. */
const maxClaimed = 100;

/** In one call. */
const maxAdded = 1_000;
const claimIdBytes = 32;

type Add = Change & { kind: "add" };

/** Devices to add, and the users who must have them, as far as the application knows. */
interface Given {
  addresses: string[];
  users: Record<string, string>;
}

interface Claimed {
  /** Undefined if all have to wait. */
  now: Add | undefined;
  /** The key of the stored change for the addresses that have to wait. */
  laterKey?: Key<Change>;
}

export function demandDevices(devices: readonly (string | { address: string; user: string })[]): Given {
  const addresses = new Set<string>();
  const users: Given["users"] = {};
  demandArray(devices, { what: "devices", min: 0, max: maxAdded }, (one, what) => {
    const { address: given, user } = typeof one === "string" ? { address: one } : Object(one ?? {});
    const address = typeof given === "string" ? given.trim().toLowerCase() : given;
    demandAddress(address, what);
    addresses.add(address);
    if (user !== undefined) users[address] = user;
  });
  return { addresses: [...addresses], users };
}

/** In a direct chat, only devices of its users. */
export function additionOf(membership: Membership, { addresses, users }: Given): Add {
  const { account, randomBytes } = membership.core;
  const only = membership.isActive ? directUsersOf(membership.view) : undefined;
  const other = only?.find((user) => user !== account.user);
  // Another user at the address is refused (WRONG_USER).
  const expected = { ...(other !== undefined && Object.fromEntries(addresses.map((one) => [one, other]))), ...users };
  if (only !== undefined && !Object.values(expected).every((user) => only.includes(user)))
    throw new TypeError("a direct chat has two users");
  return { kind: "add", addresses, users: expected, claimId: randomBytes(claimIdBytes) };
}

/**
 * Claims the new members' key packages, and stores them with the change. Addresses that have to wait move into a separate change, so that the
 * others do not wait for them.
 */
export async function claimForAdd(
  core: DeviceCore,
  membership: Membership,
  { key, change }: { key: Key<Change>; change: Add },
): Promise<Claimed> {
  if (change.joiners !== undefined) return { now: change };
  const { ledger, mls, nowMillis } = core;
  const { waits: old = {}, refused: before = [], sinceMillis = nowMillis(), ...rest } = change;
  const isDue = (address: string) => (old[address]?.atMillis ?? 0) <= nowMillis();
  const due = change.addresses.filter(isDue);
  const [first, next] = [due.slice(0, maxAddedAtOnce), due.slice(maxAddedAtOnce)];
  const claimed = await claimFrom(core, { ...change, addresses: first });
  const waits: typeof old = Object.fromEntries(Object.entries(old).filter(([address]) => !isDue(address)));
  const joiners: Joiner[] = [];
  const refused: Refused[] = [];
  const users: [address: string, user: string][] = [];
  let { claimId } = change;
  const isOver = sinceMillis < nowMillis() - keptMillis;
  for (const one of claimed) {
    const { address } = one;
    if ("error" in one && passes(one.error) && !isOver) waits[address] = waitOf(core, one, old[address]?.pauseMillis);
    else if ("error" in one) refused.push({ address, error: one.error });
    else {
      const joiner = await joinerOf(mls, one.keyPackage);
      const error = await problemOf(core, joiner, { ...one, user: change.users?.[address] });
      const lastPause = old[address]?.pauseMillis ?? 0;
      // A device uploads new packages as soon as it learns that its user has replaced the key.
      if (joiner !== undefined && !core.users.areKnown(joiner.userKeys) && lastPause < renewedMillis) {
        waits[address] = waitOf(core, { error: "WRONG_USER" }, renewedMillis / 2);
        claimId = core.randomBytes(change.claimId.length);
      } else if (joiner === undefined || error !== undefined)
        refused.push({ address, error: error ?? "WRONG_IDENTITY" });
      else {
        const { user, added } = joiner;
        joiners.push(added);
        users.push([address, user]);
      }
    }
  }
  const addresses = [...next, ...Object.keys(waits)];
  const all = [...before, ...refused];
  const notBeforeMillis = next.length > 0 ? 0 : Math.min(...Object.values(waits).map(({ atMillis }) => atMillis));
  const later: Add | undefined =
    addresses.length > 0
      ? { ...rest, claimId, addresses, refused: all, waits, sinceMillis, notBeforeMillis }
      : undefined;
  const isSplit = later !== undefined && joiners.length > 0;
  const now: Add = { ...rest, joiners, refused: isSplit ? [] : all };
  return ledger.inTurn(async (transaction) => {
    transaction.set(key, later === undefined || isSplit ? now : later);
    for (const [address, user] of users) transaction.set(knownUserKey(address), { user });
    const common = { type: "notAdded", group: membership.id } as const;
    for (const one of refused) transaction.event({ ...common, ...one });
    for (const [address, { error, atMillis }] of Object.entries(waits)) {
      const last = old[address];
      // A failure that recurs every minute is reported once.
      if (last?.error !== error || atMillis > last.atMillis + 2 * longestPauseMillis)
        transaction.event({ ...common, address, error, retryAtMillis: atMillis });
    }
    const laterKey = isSplit ? wantChange(transaction, membership, later) : undefined;
    await transaction.commit();
    return { now: later === undefined || isSplit ? now : undefined, ...(laterKey && { laterKey }) };
  });
}

/** Claims the packages that relays give out now. If a limit refuses the whole claim, that is the outcome for all remaining addresses. */
async function claimFrom({ device, closing }: DeviceCore, { addresses, claimId }: Add): Promise<ClaimedKeyPackage[]> {
  const claimed: ClaimedKeyPackage[] = [];
  let size = maxClaimed;
  while (claimed.length < addresses.length) {
    const left = addresses.slice(claimed.length);
    try {
      // Failed claims are repeated with the change, where they delay nothing else.
      const options = { claimId, retries: { attempts: 1 }, signal: closing };
      claimed.push(...(await claimKeyPackages(device, left.slice(0, size), options)));
    } catch (problem) {
      if (!isAnswer(problem, "RATE_LIMIT_EXCEEDED")) throw problem;
      const { error, retryAfterSeconds, extras } = problem;
      const limit = Number(extras["limit"]);
      // A claim over the limit would be refused for ever.
      if (limit > 0 && limit < Math.min(size, left.length)) size = limit;
      else claimed.push(...left.map((address) => ({ address, error, retryAfterSeconds })));
    }
  }
  return claimed;
}

function waitOf(
  { nowMillis }: DeviceCore,
  { error, retryAfterSeconds = 0 }: { error: Wait["error"]; retryAfterSeconds?: number | undefined },
  last = firstPauseMillis / 2,
) {
  const longest = error === "RATE_LIMIT_EXCEEDED" ? longestLimitMillis : longestPauseMillis;
  const pauseMillis = Math.min(longest, 2 * last);
  return { error, pauseMillis, atMillis: nowMillis() + Math.max(pauseMillis, 1000 * retryAfterSeconds) };
}

/** Drops joiners whose key packages no commit can add. False if there are none. */
export async function refuseUnusable(
  core: DeviceCore,
  membership: Membership,
  { key, change }: { key: Key<Change>; change: Change },
): Promise<boolean> {
  const { ledger } = core;
  if (change.kind !== "add" || change.joiners === undefined || !membership.isActive) return false;
  const joiners: Joiner[] = [];
  for (const joiner of change.joiners) {
    const add = [joiner.keyPackage];
    const isUsable = await makeCounting(core, membership.mlsState, { add }).then(
      () => true,
      (problem: unknown) => {
        if (problem instanceof NotLoadedError) throw problem;
        return false;
      },
    );
    if (isUsable) joiners.push(joiner);
  }
  const unusable = change.joiners.filter((joiner) => !joiners.includes(joiner));
  if (unusable.length === 0) return false;
  const added = unusable.map(({ address }): Refused => ({ address, error: "WRONG_IDENTITY" }));
  await ledger.inTurn(async (transaction) => {
    transaction.set(key, { ...change, joiners, refused: [...(change.refused ?? []), ...added] });
    for (const one of added) transaction.event({ type: "notAdded", group: membership.id, ...one });
    await transaction.commit();
  });
  return true;
}

/** A relay that substitutes a key package of its making cannot sign as the user whom this device knows at the address. */
async function problemOf(
  { ledger, users }: DeviceCore,
  joiner: { address: string; user: string; userKeys: string[] } | undefined,
  { address, user }: { address: string; user: string | undefined },
): Promise<Refused["error"] | undefined> {
  if (joiner?.address !== address) return "WRONG_IDENTITY";
  const expected = user ?? (await ledger.read(knownUserKey(address)))?.user;
  const isExpected = expected === undefined || expected === joiner.user;
  return isExpected && users.areKnown(joiner.userKeys) ? undefined : "WRONG_USER";
}

function knownUserKey(address: string): Key<{ user: string }> {
  return keyOf(knownPrefix, encodeHex(sha256(utf8(address))));
}
