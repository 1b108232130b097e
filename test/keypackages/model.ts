import { isDeepStrictEqual } from "node:util";
import { newPackage } from "../support/key-packages.js";

/** What the relay of this test allows; small, so that random sequences meet every limit. */
export const bounds = { perUpload: 4, stored: 5, ofOneDevice: 2, inAll: 4, lifetime: 7200, window: 3600 };

/** The packages that sequences play with; few, so that the same one comes again. */
export const packages = Array.from({ length: 10 }, () => newPackage(64));

interface UploadStep {
  kind: "upload";
  owner: number;
  packages: readonly number[];
  replace: boolean | undefined;
  lastResort: number | undefined;
}
interface FetchStep {
  kind: "fetch";
  caller: number;
  owner: number;
}
interface StatusStep {
  kind: "status";
  owner: number;
}
/** One request of a sequence; devices and packages by number. */
export type Step = UploadStep | FetchStep | StatusStep;

/** An answer, reduced to what the model says of it. */
export type Result = Readonly<Record<string, number | boolean | string | null>>;

interface Kept {
  item: number;
  expiresAt: number;
}
interface Shelf {
  stored: Kept[];
  /** Handed out, and remembered until they would have expired. */
  fetched: Kept[];
  lastResort: Kept | null;
  consumed: number;
}

/** The relay's time of a request and the model's differ by as much at most; what a sequence lets pass is longer. */
const unsureSeconds = 60;

/** Whether an answer is what the model says. */
export function isSame(answer: Result, { orLimit, ...given }: Result): boolean {
  return (
    isDeepStrictEqual(answer, given) || (orLimit != null && isDeepStrictEqual(answer, { ...given, limit: orLimit }))
  );
}

/** The rules of key packages as one reads them in the contract, kept in memory. */
export class Model {
  private shelves = new Map<number, Shelf>();
  private windows = new Map<string, { count: number; endsAt: number }>();

  /** @param consumed packages that each device has handed out so far */
  constructor(consumed: readonly number[]) {
    for (const [owner, number] of consumed.entries()) {
      this.shelves.set(owner, { stored: [], fetched: [], lastResort: null, consumed: number });
    }
  }

  clone(): Model {
    const copy = new Model([]);
    copy.shelves = structuredClone(this.shelves);
    copy.windows = structuredClone(this.windows);
    return copy;
  }

  run(step: Step, now: number): Result {
    if (step.kind === "upload") return this.upload(step, now);
    return step.kind === "fetch" ? this.fetch(step, now) : this.status(step.owner, now);
  }

  private upload({ owner, packages: items, replace, lastResort }: UploadStep, now: number): Result {
    if (items.length === 0 && lastResort === undefined && replace !== true) return { error: "INVALID_REQUEST" };
    const shelf = structuredClone(this.shelf(owner, now));
    const expiresAt = now + bounds.lifetime;
    if (replace) Object.assign(shelf, { stored: [], lastResort: null });
    if (lastResort !== undefined) {
      shelf.lastResort = { item: lastResort, expiresAt };
      shelf.stored = shelf.stored.filter(({ item }) => item !== lastResort);
      shelf.fetched = shelf.fetched.filter(({ item }) => item !== lastResort);
    }
    const before = shelf.stored.length;
    for (const item of items) {
      const known = [...shelf.stored, ...shelf.fetched].some((kept) => kept.item === item);
      if (!known && shelf.lastResort?.item !== item) shelf.stored.push({ item, expiresAt });
    }
    if (shelf.stored.length > bounds.stored) return { error: "CONFLICT" };
    this.shelves.set(owner, shelf);
    return { uploaded: shelf.stored.length - before, available: shelf.stored.length };
  }

  private fetch({ caller, owner }: FetchStep, now: number): Result {
    const [all, one] = [`${caller}`, `${caller} ${owner}`];
    const refused = this.refusal(now, [
      { key: all, limit: bounds.inAll },
      { key: one, limit: bounds.ofOneDevice },
    ]);
    if (refused !== undefined) return refused;
    const shelf = this.shelf(owner, now);
    const [oldest] = shelf.stored;
    const given = oldest ?? shelf.lastResort;
    if (given === null) return { error: "NO_KEY_PACKAGES" };
    this.count(all, now);
    this.count(one, now);
    if (oldest !== undefined) {
      shelf.stored.shift();
      shelf.fetched.push(oldest);
      shelf.consumed += 1;
    }
    return { item: given.item, remaining: shelf.stored.length, lastResort: oldest === undefined };
  }

  private status(owner: number, now: number): Result {
    const { stored, consumed, lastResort } = this.shelf(owner, now);
    return { available: stored.length, consumed, hasLastResort: lastResort !== null, expires: stored.length > 0 };
  }

  private shelf(owner: number, now: number): Shelf {
    const shelf = this.shelves.get(owner) ?? { stored: [], fetched: [], lastResort: null, consumed: 0 };
    const alive = ({ expiresAt }: Kept) => expiresAt > now;
    shelf.stored = shelf.stored.filter(alive);
    shelf.fetched = shelf.fetched.filter(alive);
    if (shelf.lastResort !== null && !alive(shelf.lastResort)) shelf.lastResort = null;
    this.shelves.set(owner, shelf);
    return shelf;
  }

  /** Names the limit with the longest wait, and another one that ends at about the same time. */
  private refusal(now: number, limits: readonly { key: string; limit: number }[]): Result | undefined {
    const full = limits.filter(({ key, limit }) => this.used(key, now) >= limit);
    const endOf = ({ key }: { key: string }) => this.windows.get(key)?.endsAt ?? 0;
    const last = Math.max(...full.map(endOf));
    const [first, other] = full.filter((one) => endOf(one) > last - unsureSeconds);
    if (first === undefined) return undefined;
    return { error: "RATE_LIMIT_EXCEEDED", limit: first.limit, ...(other !== undefined && { orLimit: other.limit }) };
  }

  private used(key: string, now: number): number {
    const window = this.windows.get(key);
    return window !== undefined && window.endsAt > now ? window.count : 0;
  }

  private count(key: string, now: number): void {
    const used = this.used(key, now);
    const endsAt = used > 0 ? this.windows.get(key)?.endsAt : undefined;
    this.windows.set(key, { count: used + 1, endsAt: endsAt ?? now + bounds.window });
  }
}
