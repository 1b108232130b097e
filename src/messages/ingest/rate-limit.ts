import type { Knex } from "knex";
import type { Pipeline } from "../../platform/database/connection.js";
import { createLruCache } from "../../platform/lru-cache.js";
import { RelayError } from "../../protocol/errors.js";
import type { LimitObserver, LimitState } from "../../protocol/rate-limit.js";
import { barredUntil, customLimitStands, hourlyLimit, isBarred, trustTier } from "../../protocol/trust-tier.js";
import { daySeconds } from "../../protocol/units.js";
import type { ServerSettings } from "../../settings/service.js";
import { byDevice } from "../queue/lock-order.js";
import { type DeviceProfile, findDeviceProfiles } from "../read-model.js";
import { isUnavailability, RowsVanished } from "../retry.js";
import type { MessageToMany, Refused } from "../types.js";
import { findStored } from "./deduplication.js";
import { firstsOf, type Item, isUnknown, refusalOf, senderOf, unique } from "./item.js";
import type { KeyRules } from "./key-rules.js";
import {
  countInWindows,
  createWindows,
  foldSent,
  giveBackToWindows,
  readWindows,
  type Unused,
  type WindowGrant,
  type WindowRequest,
  type WindowTime,
} from "./rate-limit-store.js";
import type { RetryLater } from "./retry-later.js";

// The number of messages that a sender may still send. A device has two fixed windows: one counts its messages, the other
// its misses, which are repetitions and messages to unknown recipients.
//
// Messages are counted before they are stored, by a statement and a transaction of their own, as if each were new and
// accepted. The granted part then belongs to the flush:
//
//   requested --reserve--> granted --decide--> used by accepted messages (stays counted)
//                                         \--> unused: given back after the storing transaction, or after its failure
//
// So no limit is ever exceeded, on all nodes together, and a message that is refused for another reason is not counted.
// Only if a node dies between the two does its grant stay counted until the window ends.
//
// The items of a message to many share: each number of recipients begun counts as one message, or as one miss. That number
// is 1 for devices that are new.

/** The number of messages that a device may send per window at this time. */
export interface Allowance {
  /** Messages before carry-over; null means no limit. */
  limit: number | null;
  /** The limit from which the next window carries over: 0 for custom limits and without a limit. */
  windowLimit: number;
  /** The most that this window may hold of messages carried over. */
  mostCarried: number;
  /** For a limit of 0: when it may change (Unix seconds); null if it does not change by itself. */
  zeroUntil: number | null;
  /** Recipients of a message to many that count as one message. */
  recipientsPerMessage: number;
}

export interface WindowRules extends WindowTime {
  /** Misses that a device may have per message of its limit. */
  missesPerSend: number;
}

/** The senders of a flush. `allowances` are by device. */
export interface SenderContext {
  keyRules: KeyRules;
  allowances: ReadonlyMap<string, Allowance>;
  rules: WindowRules;
}

/** The part of a sender's grant that is left while items are decided one after the other. */
export interface SenderRemaining {
  sends: number;
  sendLimit: number;
  sendsResetAt: number;
  misses: number;
  missLimit: number;
  missesResetAt: number;
  /** What it was granted, and by what. */
  allowance: Allowance;
  grant: WindowGrant;
  /** Recipients of a message to many that count as one message. */
  recipientsPerMessage: number;
}

/** Higher than the count of any window. */
const unlimited = 2 ** 52;
const longestRetryAfterSeconds = 30 * daySeconds;

/** The precedence of limits is that of protocol/trust-tier; only tiers carry over. */
export function allowanceOf(
  profile: DeviceProfile,
  { now, settings }: { now: number; settings: ServerSettings },
): Allowance {
  const device = {
    now,
    settings,
    registeredAt: profile.registered_at,
    verified: profile.admin_verified,
    blockedAt: profile.blocked_at,
    bannedUntil: profile.banned_until,
    customLimit: profile.custom_limit,
    customLimitExpiresAt: profile.custom_limit_expires_at,
  };
  const limit = hourlyLimit(device);
  const barred = isBarred(device);
  const tiered = limit !== null && !barred && !customLimitStands(device);
  return {
    limit,
    windowLimit: tiered ? limit : 0,
    mostCarried: tiered ? settings.rate_limiting.burst_allowance : 0,
    zeroUntil: barred ? barredUntil(device) : device.customLimitExpiresAt,
    recipientsPerMessage: sharingTiers.has(trustTier(device)) ? settings.rate_limiting.recipients_per_message : 1,
  };
}

/** The tiers whose messages to many count less than their recipients do. */
const sharingTiers: ReadonlySet<string> = new Set(["trusted", "verified"]);

/** The remaining part of each sender's grant, before the first item is decided. */
export function remainingOfSenders(
  grants: ReadonlyMap<string, WindowGrant>,
  { allowances, rules }: SenderContext,
): Map<string, SenderRemaining> {
  const senders = new Map<string, SenderRemaining>();
  for (const [id, grant] of grants) {
    const allowance = allowances.get(id);
    if (allowance) senders.set(id, remainingOf(allowance, grant, rules));
  }
  return senders;
}

function remainingOf(allowance: Allowance, grant: WindowGrant, rules: WindowRules): SenderRemaining {
  const limit = allowance.limit ?? Number.POSITIVE_INFINITY;
  return {
    sends: grant.granted,
    sendLimit: limit + grant.carry,
    sendsResetAt: grant.started_at + rules.windowSeconds,
    misses: allowance.limit === null ? Number.POSITIVE_INFINITY : grant.misses_granted,
    missLimit: limit * rules.missesPerSend,
    missesResetAt: grant.misses_started_at + rules.windowSeconds,
    allowance,
    grant,
    recipientsPerMessage: allowance.recipientsPerMessage,
  };
}

/** The windows of a device that has none yet. */
function emptyWindows(device_id: string): WindowGrant {
  const windows = { started_at: 0, count: 0, carry: 0, misses_started_at: 0, misses_count: 0 };
  return { device_id, ...windows, granted: 0, misses_granted: 0 };
}

/** The state of a sender's limits, once the part of its grant that is left has been given back; empty without a limit. */
export function limitStates(sender: SenderRemaining, rules: WindowRules): LimitState[] {
  const { allowance, grant, missLimit } = sender;
  if (allowance.limit === null) return [];
  const sends = { startedAt: grant.started_at, used: grant.count - sender.sends };
  const misses = { startedAt: grant.misses_started_at, used: grant.misses_count - sender.misses };
  const carry = isOver(sends, rules) ? 0 : grant.carry;
  return [
    limitState("messages", { ...sends, limit: allowance.limit + carry }, rules),
    limitState("misses", { ...misses, limit: missLimit }, rules),
  ];
}

/** The state for a device that may send nothing. */
export function zeroStates({ zeroUntil }: Allowance, { windowSeconds }: WindowRules): LimitState[] {
  return [{ name: "messages", limit: 0, remaining: 0, windowSeconds, resetAt: zeroUntil }];
}

function limitState(
  name: string,
  window: { startedAt: number; used: number; limit: number },
  rules: WindowRules,
): LimitState {
  const { windowSeconds } = rules;
  const used = isOver(window, rules) ? 0 : window.used;
  const resetAt = used > 0 ? window.startedAt + windowSeconds : null;
  return { name, limit: window.limit, remaining: Math.max(0, window.limit - used), windowSeconds, resetAt };
}

/** A statement that counts nothing in a window leaves it as it was. */
function isOver({ startedAt }: { startedAt: number }, { now, windowSeconds }: WindowRules): boolean {
  return startedAt + windowSeconds <= now;
}

/** Notifies the senders that asked for it of the state of their limits. */
export function notifySenders(
  items: readonly Item[],
  { senders, rules }: { senders: ReadonlyMap<string, SenderRemaining>; rules: WindowRules },
): void {
  let last: Item["sender"] | undefined;
  for (const { sender } of items) {
    if (sender === last || sender.kind !== "device" || sender.observer === undefined) continue;
    last = sender;
    const remaining = senders.get(sender.deviceId);
    if (remaining !== undefined) sender.observer.observeLimits(limitStates(remaining, rules), rules.now);
  }
}

interface Counts {
  sends: number;
  misses: number;
}

/** Counts the items of messages to many, to tell which of them begins another share. */
export interface ShareCounter {
  /** What the next item of this kind costs its sender: 1, or 0 if it falls into a share that has begun. */
  next(item: Item, kind: keyof Counts, sender: { recipientsPerMessage: number }): 0 | 1;
  count(item: Item, kind: keyof Counts): void;
}

export function createShareCounter(): ShareCounter {
  const counted = new Map<MessageToMany, Counts>();
  return {
    next({ toMany }, kind, { recipientsPerMessage }) {
      if (toMany === undefined) return 1;
      return (counted.get(toMany)?.[kind] ?? 0) % recipientsPerMessage === 0 ? 1 : 0;
    },
    count({ toMany }, kind) {
      if (toMany === undefined) return;
      const counts = counted.get(toMany) ?? { sends: 0, misses: 0 };
      counts[kind] += 1;
      counted.set(toMany, counts);
    },
  };
}

/** Adds up what items cost their senders, if each is of the kind given. */
function createCosts({ allowances }: SenderContext): {
  add(item: Item, kind: keyof Counts): void;
  bySender: ReadonlyMap<string, Counts>;
} {
  const bySender = new Map<string, Counts>();
  const shares = createShareCounter();
  return {
    bySender,
    add(item, kind) {
      const sender = senderOf(item);
      if (sender === undefined) return;
      const counts = bySender.get(sender) ?? { sends: 0, misses: 0 };
      counts[kind] += shares.next(item, kind, allowances.get(sender) ?? unshared);
      shares.count(item, kind);
      bySender.set(sender, counts);
    },
  };
}

const unshared = { recipientsPerMessage: 1 };

/** Requests for the senders of items, as if every message that is not repeated here were new. In the order of ids. */
function requestsFor(items: readonly Item[], senders: SenderContext): WindowRequest[] {
  const fresh = new Set(firstsOf(items, new Set(items.map((item) => item.key))));
  const costs = createCosts(senders);
  for (const item of items) costs.add(item, fresh.has(item) ? "sends" : "misses");
  return requestsOf(costs.bySender, senders);
}

/** Requests for items that were taken for new ones and turned out to be repetitions, in the order of ids. */
function requestsForRepetitions(
  items: readonly Item[],
  fresh: ReadonlySet<string>,
  senders: SenderContext,
): WindowRequest[] {
  const costs = createCosts(senders);
  for (const item of firstsOf(items, new Set(items.map(({ key }) => key)))) {
    if (!fresh.has(item.key)) costs.add(item, "misses");
  }
  return requestsOf(costs.bySender, senders);
}

/** The largest requests of items: as if each were new, and as if each were a repetition. */
export function largestRequestsFor(items: readonly Item[], senders: SenderContext): WindowRequest[] {
  const costs = createCosts(senders);
  for (const item of items) {
    costs.add(item, "sends");
    costs.add(item, "misses");
  }
  return requestsOf(costs.bySender, senders);
}

function requestsOf(counts: ReadonlyMap<string, Counts>, { allowances, rules }: SenderContext): WindowRequest[] {
  const requests: WindowRequest[] = [];
  for (const [id, count] of counts) {
    const allowance = allowances.get(id);
    const request = allowance === undefined ? undefined : requestOf(id, allowance, { ...count, rules });
    if (request !== undefined && request.sends + request.misses > 0) requests.push(request);
  }
  return requests.sort(byDevice);
}

/** Where messages have no limit, misses have none either and are not counted. */
function requestOf(
  deviceId: string,
  { limit, windowLimit, mostCarried }: Allowance,
  { sends, misses, rules }: Counts & { rules: WindowRules },
): WindowRequest {
  return {
    deviceId,
    sends,
    misses: limit === null ? 0 : misses,
    sendLimit: limit ?? unlimited,
    missLimit: limit === null ? 0 : limit * rules.missesPerSend,
    windowLimit,
    mostCarried,
  };
}

/** What was granted to the senders of a flush, by device. */
export type Grants = ReadonlyMap<string, WindowGrant>;

/** The reservation of one flush in the windows of its senders. */
export interface Reservation {
  /**
   * Reserves for the flush's items as if all were new; sends its statement at once. Throws RowsVanished where a sender
   * has no windows, as after a crash of the database.
   */
  reserve(pipeline: Pipeline): Promise<Grants>;
  /** What has been granted; throws where nothing has been reserved. */
  grants(): Grants;
  /** Counts repetitions that were only found while storing, over a connection outside the storing transaction. */
  reserveRepetitions(fresh: ReadonlySet<string>): Promise<void>;
  /** Gives back the part that the items, which have their outcomes, did not use. Never throws: failures are retried. */
  settle(): Promise<void>;
  /**
   * The same where storing failed: everything is given back. If the connection broke, the messages may have been stored
   * all the same; those that are found stored stay counted.
   */
  abandon(error: unknown): Promise<void>;
}

export interface SenderWindows {
  /** Creates windows for senders that have none. */
  ensure(deviceIds: readonly string[]): Promise<void>;
  /** The reservation of a flush, still empty. Repetitions are counted over `pipeline`. */
  open(items: readonly Item[], senders: SenderContext, pipeline: Pipeline): Reservation;
}

const remembered = 100_000;

export function createSenderWindows({ db, retryLater }: { db: Knex; retryLater: RetryLater }): SenderWindows {
  const known = createLruCache<string, true>(remembered);

  const count = async (pipeline: Pipeline, requests: readonly WindowRequest[], time: WindowTime) => {
    if (requests.length === 0) return [];
    const granted = await countInWindows(pipeline, requests, time);
    if (granted.length === requests.length) return granted;
    const found = new Map(granted.map((grant) => [grant.device_id, grant]));
    const vanished = requests.map(({ deviceId }) => deviceId).filter((id) => !found.has(id));
    for (const id of vanished) known.delete(id);
    await giveBack(unusedOf(found, nothingUsed));
    throw new RowsVanished(vanished);
  };
  const giveBack = async (unused: readonly Unused[]): Promise<void> => {
    if (unused.length > 0) await retryLater.run(() => giveBackToWindows(db, unused));
  };
  const giveBackUnstored = async (grants: Grants, items: readonly Item[], senders: SenderContext): Promise<void> => {
    const keys = unique(items.filter((item) => !isUnknown(item)).map((item) => item.key));
    const stored = await findStored(db, keys, senders.keyRules);
    const used = createCosts(senders);
    for (const item of firstsOf(items, stored)) used.add(item, "sends");
    const unused = unusedOf(grants, used.bySender);
    if (unused.length > 0) await giveBackToWindows(db, unused);
  };

  return {
    async ensure(deviceIds) {
      const missing = deviceIds.filter((id) => !known.has(id));
      if (missing.length === 0) return;
      await createWindows(db, missing);
      for (const id of missing) known.set(id, true);
    },
    open(items, senders, pipeline) {
      let grants: Map<string, WindowGrant> | undefined;
      return {
        async reserve(at) {
          const granted = await count(at, requestsFor(items, senders), senders.rules);
          grants = new Map(granted.map((grant) => [grant.device_id, grant]));
          return grants;
        },
        grants() {
          if (grants === undefined) throw new Error("the flush has reserved nothing");
          return grants;
        },
        async reserveRepetitions(fresh) {
          const requests = requestsForRepetitions(items, fresh, senders);
          if (requests.length === 0 || grants === undefined) return;
          for (const grant of await count(pipeline, requests, senders.rules)) addMisses(grants, grant);
        },
        async settle() {
          if (grants !== undefined) await giveBack(unusedOf(grants, usedBy(items, senders)));
        },
        async abandon(error) {
          const reserved = grants;
          if (reserved === undefined) return;
          if (!isUnavailability(error)) return giveBack(unusedOf(reserved, nothingUsed));
          await retryLater.run(() => giveBackUnstored(reserved, items, senders));
        },
      };
    },
  };
}

/** A later grant belongs to the later window; the part granted in an earlier window cannot be given back to it. */
function addMisses(grants: Map<string, WindowGrant>, more: WindowGrant): void {
  const first = grants.get(more.device_id);
  const same = first?.misses_started_at === more.misses_started_at;
  const misses = (same ? (first?.misses_granted ?? 0) : 0) + more.misses_granted;
  const { misses_started_at, misses_count } = more;
  grants.set(more.device_id, { ...(first ?? more), misses_started_at, misses_count, misses_granted: misses });
}

const nothingUsed: ReadonlyMap<string, Counts> = new Map();

/** What the outcomes of items cost their senders. */
function usedBy(items: readonly Item[], senders: SenderContext): ReadonlyMap<string, Counts> {
  const used = createCosts(senders);
  for (const item of items) {
    // A message that was accepted here and then refused for its destination does not count either.
    if (item.used === "misses" || (item.used === "sends" && refusalOf(item) === undefined)) used.add(item, item.used);
  }
  return used.bySender;
}

/** The part of the grants that was not used, in the order of ids. */
function unusedOf(grants: Grants, used: ReadonlyMap<string, Counts>): Unused[] {
  const unused: Unused[] = [];
  for (const [deviceId, grant] of grants) {
    const { sends, misses } = used.get(deviceId) ?? { sends: 0, misses: 0 };
    const left = { sends: Math.max(0, grant.granted - sends), misses: Math.max(0, grant.misses_granted - misses) };
    if (left.sends === 0 && left.misses === 0) continue;
    unused.push({ deviceId, startedAt: grant.started_at, missesStartedAt: grant.misses_started_at, ...left });
  }
  return unused.sort(byDevice);
}

/** What a device may still send, as far as can be read without locks. Counts nothing. */
export interface SendingLimits {
  /** Throws RATE_LIMIT_EXCEEDED where the device may send nothing. A device that passes may still be refused. */
  refuseSpent(deviceId: string, observer?: LimitObserver): Promise<void>;
  /** Empty for a device without a limit, and for one that is not registered. */
  sendingLimits(deviceId: string): Promise<LimitState[]>;
}

export function createSendingLimits(deps: {
  db: Knex;
  now: () => number;
  settings: () => ServerSettings;
  missesPerSend: number;
}): SendingLimits {
  const { db, missesPerSend } = deps;
  const read = async (deviceId: string) => {
    const [now, settings] = [deps.now(), deps.settings()];
    const rules = { now, windowSeconds: settings.rate_limiting.window_seconds, missesPerSend };
    const profile = (await findDeviceProfiles(db, [deviceId])).get(deviceId);
    if (profile === undefined) return undefined;
    const allowance = allowanceOf(profile, { now, settings });
    if (allowance.limit === 0)
      return { rules, states: zeroStates(allowance, rules), refusal: refuseZero(allowance, rules) };
    const request = requestOf(deviceId, allowance, { sends: 1, misses: 1, rules });
    const [grant] = await readWindows(db, [request], rules);
    const remaining = remainingOf(allowance, grant ?? emptyWindows(deviceId), rules);
    const isSpent = grant !== undefined && remaining.sends < 1;
    return {
      rules,
      states: limitStates(remaining, rules),
      refusal: isSpent ? refuseSend(remaining, rules) : undefined,
    };
  };
  return {
    async refuseSpent(deviceId, observer) {
      const found = await read(deviceId);
      if (found === undefined) return;
      observer?.observeLimits(found.states, found.rules.now);
      if (found.refusal !== undefined) throw errorOf(found.refusal);
    },
    sendingLimits: async (deviceId) => (await read(deviceId))?.states ?? [],
  };
}

const foldedAtOnce = 1_000;

/** Adds the messages that devices sent since the last time to their totals, for all devices together. */
export async function foldTotals(db: Knex): Promise<void> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    after = await foldSent(db, { after, limit: foldedAtOnce });
  }
}

/** The refusal of a device that may send nothing at all. */
export function refuseZero({ zeroUntil }: Allowance, rules: WindowRules): Refused {
  return refuse("this device may not send messages at the moment", { limit: 0, resetAt: zeroUntil, rules });
}

/** The refusal of a message beyond the sender's limit. */
export function refuseSend({ sendLimit: limit, sendsResetAt: resetAt }: SenderRemaining, rules: WindowRules): Refused {
  return refuse("the message limit of this device is used up", { limit, resetAt, rules });
}

/** The refusal of a repetition or of an unknown recipient beyond the limit of misses. */
export function refuseMiss({ missLimit: limit, missesResetAt: resetAt }: SenderRemaining, rules: WindowRules): Refused {
  return refuse("too many repeated messages and unknown recipients", { limit, resetAt, rules });
}

function refuse(message: string, used: { limit: number; resetAt: number | null; rules: WindowRules }): Refused {
  const { now, windowSeconds } = used.rules;
  const wait = used.resetAt === null ? windowSeconds : Math.max(1, used.resetAt - now);
  const retryAfter = Math.min(wait, longestRetryAfterSeconds);
  return {
    error: "RATE_LIMIT_EXCEEDED",
    message,
    extras: { limit: used.limit, reset_at: used.resetAt, retry_after: retryAfter },
  };
}

function errorOf({ error, message, extras = {} }: Refused): RelayError {
  return new RelayError(error, message, { extras });
}
