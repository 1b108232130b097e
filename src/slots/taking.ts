import type { Statements } from "../database/db.js";
import { type OpenPipeline, type Pipelines, together } from "../database/pipeline/pipelines.js";
import type { Placement } from "../database/placement.js";
import { retrying } from "../database/transaction-retry.js";
import type { Device, DevicesService } from "../devices/service.js";
import { concludeLimits } from "../limits/conclude.js";
import { type LimitRequest, limitError } from "../limits/limit-request.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import {
  type CountedWindow,
  countInWindows,
  giveBackToWindows,
  readOpenWindows,
  type WantedWindow,
} from "../limits/windows-store.js";
import type { Clock } from "../node/clock.js";
import { createBatcher } from "../platform/concurrency/batcher.js";
import { watchEventLoop } from "../platform/concurrency/event-loop.js";
import { RelayError } from "../protocol/errors.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { mebibyte } from "../protocol/units.js";
import { readTimeline } from "./key-database.js";
import { charge, insertSlots, type NewSlot, readBalance, readSlots, type StoredSlot } from "./store.js";

/** For whom a slot is taken. */
export interface Taker {
  /** Undefined for another relay. */
  deviceId?: string | undefined;
  /** What is counted if the request takes the slot. Throws if this device may take none, whatever the slot has. */
  limitsOf(device: Device | undefined): readonly LimitRequest[];
  /** The most bytes that the content of all slots may have together after this request. */
  storageBytes: number;
  observer?: LimitObserver | undefined;
}

/** A request that takes a slot. */
interface Taking {
  slot: Buffer;
  contentBytes: number;
  /** Makes the signed row. Called only if the slot seems to be free. */
  draft(): NewSlot;
  by: Taker;
}

/** The database is another one than that for which the key signed: it may lack slots. Nothing was stored. */
export class OtherTimeline extends Error {
  override name = "OtherTimeline";
}

/** What the slot has. `isNew` if this request took it. */
export interface Taken {
  slot: StoredSlot;
  isNew: boolean;
}

/** Whether a slot has this content, whoever has sent it: a request that is repeated wins again, and so does another member with the same commit. */
export function hasWon({ contentHash: taken }: Pick<StoredSlot, "contentHash">, contentHash: Buffer): boolean {
  return taken.equals(contentHash);
}

export type Takings = ReturnType<typeof createTakings>;

interface FlushDeps {
  /** Where counts are given back if the transaction has failed. */
  db: Statements;
  clock: Clock;
  devices: Pick<DevicesService, "findAll">;
  rateLimiter: Pick<RateLimiter, "keyOf">;
}

type Outcome = Taken | { error: unknown };
type Outcomes = Map<Taking, Outcome>;
type Refused = ReadonlyMap<Taking, RelayError>;

/** A request whose slot seems to be free. */
interface Candidate {
  taking: Taking;
  row: NewSlot;
  limits: readonly LimitRequest[];
}

const bounds = {
  flushCount: 64,
  flushBytes: 8 * mebibyte,
  waitingCount: 2_000,
  waitingBytes: 64 * mebibyte,
  concurrent: 1,
  slow: 1,
};
/** While the node is busy, requests wait to share a transaction. */
const pace = { millis: 3, fullCount: 8 };

/**
 * Batches the requests that take slots (spec/decisions/0193):
 *
 *   look up devices and slots -> read windows and balance -> count -> begin, insert the free slots -> charge -> commit
 *
 * Each arrow is one round trip, whatever the number of requests. What the readings refuse is written nowhere. Counting is a
 * transaction of its own, so that the database does not show who took a slot. All nodes lock rows in one order: slots by name,
 * the balance. If another node has used up a limit meanwhile, the requests that it may refuse are tried again alone, and the
 * others without them.
 */
export function createTakings(
  deps: FlushDeps & {
    pipelines: Pick<Pipelines, "use">;
    placement: Pick<Placement, "isDown" | "someAreDown" | "check">;
  },
) {
  const { pipelines, placement } = deps;
  const isBusy = watchEventLoop();
  const isReachable = ({ slot, by: { deviceId } }: Taking): boolean =>
    !placement.someAreDown() ||
    !(placement.isDown("slot", slot) || (deviceId !== undefined && placement.isDown("device", deviceId)));

  /** Decides at least one of these requests. */
  const settle = async (takings: readonly Taking[], outcomes: Outcomes): Promise<void> => {
    const reachable = takings.filter(isReachable);
    for (const taking of takings) if (!reachable.includes(taking)) outcomes.set(taking, { error: unreachable() });
    if (reachable.length === 0) return;
    try {
      const refused = await retrying(() => pipelines.use((db) => takeAll(db, reachable, { ...deps, outcomes })));
      if (refused.size > 0) await settleRefused(reachable, refused, outcomes);
    } catch (error) {
      await settleFailed(reachable, error, outcomes);
    }
  };
  const settleRefused = async (takings: readonly Taking[], refused: Refused, outcomes: Outcomes): Promise<void> => {
    if (takings.length === 1) {
      for (const [taking, error] of refused) outcomes.set(taking, { error });
      return;
    }
    const others = takings.filter((taking) => !outcomes.has(taking) && !refused.has(taking));
    if (others.length > 0) await settle(others, outcomes);
    for (const taking of refused.keys()) await settle([taking], outcomes);
  };
  /** A request that makes the transaction fail fails alone, and so does one whose rows are on a machine that is down. */
  const settleFailed = async (takings: readonly Taking[], error: unknown, outcomes: Outcomes): Promise<void> => {
    const failed = takings.filter((taking) => !outcomes.has(taking));
    if (error instanceof RelayError) {
      await placement.check();
      if (!failed.every(isReachable)) return settle(failed, outcomes);
    } else if (takings.length > 1) {
      for (const taking of failed) await settle([taking], outcomes);
      return;
    }
    for (const taking of failed) outcomes.set(taking, { error });
  };
  const batcher = createBatcher<Taking, Outcome>({
    name: "commit slots",
    bounds: {
      ...bounds,
      get pace() {
        return isBusy() ? pace : undefined;
      },
    },
    async flush(takings) {
      const outcomes: Outcomes = new Map();
      // Of several requests for one slot, the others come after the first.
      for (let open: readonly Taking[] = takings; open.length > 0; ) {
        await settle(open, outcomes);
        open = takings.filter((taking) => !outcomes.has(taking));
      }
      return takings.map((taking) => outcomes.get(taking) as Outcome);
    },
  });

  return {
    /** Throws NOT_FOUND if the slot was forgotten meanwhile, QUEUE_FULL, and the refusals of the taker. */
    async take(taking: Taking): Promise<Taken> {
      const outcome = await batcher.add(taking, { count: 1, bytes: taking.contentBytes });
      if ("error" in outcome) throw outcome.error;
      return outcome;
    },
    stop: (): Promise<void> => batcher.stop(),
  };
}

/** Returns the requests that limits may refuse; then nothing is stored. All others are decided, unless they wait for another. */
async function takeAll(
  db: OpenPipeline,
  takings: readonly Taking[],
  { outcomes, ...deps }: FlushDeps & { outcomes: Outcomes },
): Promise<Refused> {
  const found = await lookUp(db, takings, { ...deps, outcomes });
  const candidates = found.length === 0 ? [] : await admit(db, found, { ...deps, outcomes });
  if (candidates.length === 0) return new Map();
  const { refused, observe, windowsOf } = await countAll(db, candidates, deps);
  if (refused.size > 0) return refused;
  const giveBack = async (uncounted: readonly Candidate[]): Promise<void> => {
    const windows = uncounted.flatMap(windowsOf);
    if (windows.length > 0) await retrying(() => giveBackToWindows(deps.db, windows));
  };
  const { won, lost, isCharged } = await insertAll(db, candidates, outcomes).catch(async (error: unknown) => {
    await giveBack(candidates).catch(() => undefined);
    throw error;
  });
  await giveBack(isCharged ? lost : candidates);
  if (!isCharged) return withoutSpace(won);
  observe(won);
  return refused;
}

/** Inserts the free slots and charges the balance, or stores nothing if another node has used up the space meanwhile. */
async function insertAll(
  db: OpenPipeline,
  candidates: readonly Candidate[],
  outcomes: Outcomes,
): Promise<{ won: Candidate[]; lost: Candidate[]; isCharged: boolean }> {
  const rows = candidates.map(({ row }) => row);
  const [, timeline, inserted] = await together([db.begin(), readTimeline(db), insertSlots(db, rows)]);
  if (rows.some((row) => row.timeline !== null && row.timeline !== timeline)) {
    await db.rollback();
    throw new OtherTimeline("the database has failed over");
  }
  const names = new Set(inserted.map(nameOf));
  const isNew = ({ row }: Candidate): boolean => names.has(nameOf(row.slot));
  const [won, lost] = [candidates.filter(isNew), candidates.filter((one) => !isNew(one))];
  const others = lost.map(({ row }) => row.slot);
  const found = lost.length === 0 ? [] : await readSlots(db, others);
  if (won.length > 0 && !(await charge(db, chargeOf(won)))) {
    await db.rollback();
    return { won, lost, isCharged: false };
  }
  await db.commit();
  for (const { taking, row } of won) outcomes.set(taking, { slot: row, isNew: true });
  noteFound(
    lost.map(({ taking }) => taking),
    found,
    outcomes,
  );
  for (const { taking } of lost) {
    if (!outcomes.has(taking))
      outcomes.set(taking, { error: new RelayError("NOT_FOUND", "nothing has taken this slot") });
  }
  return { won, lost, isCharged: true };
}

/** The requests that windows and space have room for, in their order. All others are refused, without a write. */
async function admit(
  db: OpenPipeline,
  candidates: readonly Candidate[],
  { clock, rateLimiter, outcomes }: Pick<FlushDeps, "clock" | "rateLimiter"> & { outcomes: Outcomes },
): Promise<Candidate[]> {
  const now = clock.nowSeconds();
  const keysOf = await Promise.all(candidates.map(({ limits }) => keysOfAll(rateLimiter, limits)));
  const [open, balance] = await together([readOpenWindows(db, { keys: keysOf.flat(), now }), readBalance(db)]);
  const windows = new Map(open.map(({ key, used, endsAt }) => [nameOf(key), { used, endsAt }]));
  let bytes = balance;
  return candidates.filter(({ taking, row, limits }, index) => {
    const wanted = limits.map(({ cost = 1, limit, windowSeconds }, i): CountedWindow => {
      const key = keysOf[index]?.[i] as Buffer;
      const { used, endsAt } = windows.get(nameOf(key)) ?? { used: 0, endsAt: now + windowSeconds };
      return { key, cost, limit, used, endsAt, counted: false };
    });
    if (wanted.some(({ used, cost, limit }) => used + cost > limit)) {
      const { states, refused } = concludeLimits(
        limits,
        wanted.map((window) => [window]),
      );
      taking.by.observer?.observeLimits(states, now);
      outcomes.set(taking, { error: limitError(refused as NonNullable<typeof refused>, now) });
      return false;
    }
    if (bytes + row.content.length > taking.by.storageBytes) {
      outcomes.set(taking, { error: noSpace() });
      return false;
    }
    bytes += row.content.length;
    for (const { key, used, cost, endsAt } of wanted) windows.set(nameOf(key), { used: used + cost, endsAt });
    return true;
  });
}

/** The first request for each free slot, in the order of their names. */
async function lookUp(
  db: OpenPipeline,
  takings: readonly Taking[],
  { devices, outcomes }: Pick<FlushDeps, "devices"> & { outcomes: Outcomes },
): Promise<Candidate[]> {
  const ids = [...new Set(takings.flatMap(({ by }) => by.deviceId ?? []))];
  const slots = [...new Map(takings.map(({ slot }) => [nameOf(slot), slot])).values()];
  const [known, found] = await together([
    ids.length === 0 ? Promise.resolve([]) : devices.findAll(db, ids),
    readSlots(db, slots),
  ]);
  const byId = new Map<string, Device>(known.map((device) => [device.deviceId, device]));
  const limitsOf = new Map<Taking, readonly LimitRequest[]>();
  for (const taking of takings) {
    try {
      limitsOf.set(taking, taking.by.limitsOf(byId.get(taking.by.deviceId ?? "")));
    } catch (error) {
      outcomes.set(taking, { error });
    }
  }
  noteFound([...limitsOf.keys()], found, outcomes);
  const candidates = new Map<string, Candidate>();
  for (const [taking, limits] of limitsOf) {
    const name = nameOf(taking.slot);
    if (!outcomes.has(taking) && !candidates.has(name)) candidates.set(name, { taking, row: taking.draft(), limits });
  }
  return [...candidates.values()].sort((a, b) => Buffer.compare(a.row.slot, b.row.slot));
}

function noteFound(
  takings: readonly Taking[],
  found: readonly (StoredSlot & { slot: Buffer })[],
  outcomes: Outcomes,
): void {
  const byName = new Map(found.map((slot) => [nameOf(slot.slot), slot]));
  for (const taking of takings) {
    const slot = byName.get(nameOf(taking.slot));
    if (slot !== undefined) outcomes.set(taking, { slot, isNew: false });
  }
}

/** Counts in the takers' windows; if another node has filled one meanwhile, returns who may be refused because of it. */
async function countAll(
  db: OpenPipeline,
  candidates: readonly Candidate[],
  { clock, rateLimiter }: Pick<FlushDeps, "clock" | "rateLimiter">,
): Promise<{
  refused: Refused;
  observe(counted: readonly Candidate[]): void;
  windowsOf(one: Candidate): { key: Buffer; cost: number }[];
}> {
  const now = clock.nowSeconds();
  const merged = mergeLimits(candidates);
  const requests = merged.map(({ request }) => request);
  const keys = await keysOfAll(rateLimiter, requests);
  const wanted = requests.map(
    ({ cost = 1, limit, windowSeconds: seconds }, i): WantedWindow => ({
      key: keys[i] as Buffer,
      earlierKey: null,
      cost,
      limit,
      seconds,
    }),
  );
  const windows = wanted.length === 0 ? [] : await countInWindows(db, wanted, { now });
  const { states, refused, unused } = concludeLimits(
    requests,
    windows.map((window) => [window]),
  );
  if (unused.length > 0) await giveBackToWindows(db, unused);
  const observe = (counted: readonly Candidate[]): void => {
    for (const { taking } of counted) {
      const own = states.filter((_, i) => merged[i]?.takings.has(taking));
      if (own.length > 0) taking.by.observer?.observeLimits(own, now);
    }
  };
  const windowsOf = ({ taking, limits }: Candidate) =>
    merged.flatMap(({ request, takings }, i) => {
      if (!takings.has(taking)) return [];
      const cost = limits.find(({ name }) => name === request.name)?.cost ?? 1;
      return [{ key: keys[i] as Buffer, cost }];
    });
  if (refused === undefined) return { refused: new Map(), observe, windowsOf };
  if (candidates.length === 1) observe(candidates);
  const error = limitError(refused, now);
  const full = merged.filter(({ request: { cost = 1 } }, i) => (states[i]?.remaining ?? 0) < cost);
  return {
    refused: new Map(full.flatMap(({ takings }) => [...takings]).map((one) => [one, error])),
    observe,
    windowsOf,
  };
}

function keysOfAll(rateLimiter: FlushDeps["rateLimiter"], limits: readonly LimitRequest[]): Promise<Buffer[]> {
  return Promise.all(limits.map(({ name, subject }) => rateLimiter.keyOf(name, idsOf(subject))));
}

/** Of several takers, those who may fill the least are tried again alone. */
function withoutSpace(won: readonly Candidate[]): Refused {
  const least = Math.min(...won.map(({ taking }) => taking.by.storageBytes));
  const full = won.filter(({ taking }) => taking.by.storageBytes === least);
  return new Map(full.map(({ taking }) => [taking, noSpace()]));
}

export function noSpace(): RelayError {
  return new RelayError("QUEUE_FULL", "the space for commit slots is used up");
}

interface MergedLimit {
  request: LimitRequest;
  takings: Set<Taking>;
}

/** One request for each window, however many of the takings count in it. */
function mergeLimits(won: readonly Candidate[]): MergedLimit[] {
  const merged = new Map<string, MergedLimit>();
  for (const { taking, limits } of won) {
    for (const request of limits) {
      const key = [request.name, ...idsOf(request.subject)].join(" ");
      const known = merged.get(key);
      const cost = (known?.request.cost ?? 0) + (request.cost ?? 1);
      merged.set(key, { request: { ...request, cost }, takings: (known?.takings ?? new Set()).add(taking) });
    }
  }
  return [...merged.values()];
}

function idsOf(subject: LimitRequest["subject"]): readonly string[] {
  if ("ids" in subject) return subject.ids;
  throw new Error("takings are limited by ids");
}

/** How many bytes to add to the balance, and what it may have before: those who may fill less of the space come first. */
function chargeOf(won: readonly Candidate[]): { bytes: number; atMost: number } {
  let bytes = 0;
  let atMost = Number.MAX_SAFE_INTEGER;
  for (const { row, taking } of won.toSorted((a, b) => a.taking.by.storageBytes - b.taking.by.storageBytes)) {
    bytes += row.content.length;
    atMost = Math.min(atMost, taking.by.storageBytes - bytes);
  }
  return { bytes, atMost };
}

function nameOf(slot: Buffer): string {
  return slot.toString("latin1");
}

function unreachable(): RelayError {
  return new RelayError("DATABASE_UNAVAILABLE", "a part of the database does not answer; repeat the same request");
}
