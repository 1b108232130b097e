// All changes of what a device keeps. A change is one transaction: the new state of a group, what is to be sent because of it, and what
// the application is told, together or not at all. Transactions are made one after another, and wait for nothing but the store and the
// MLS library, so that whoever waits for the network never keeps others from receiving.

import { callBack } from "../../client/runtime/callbacks.js";
import { decodeRecord, encodeRecord } from "../encoding/records.js";
import type { GroupEvent, KeptEvent, PassingEvent, StoredEvent } from "./events.js";
import { eventPrefix, type Key, numbered, type Prefix, sequenceKey } from "./record-keys.js";
import { People } from "./shown-people.js";
import type { Store, StoreChange, StoreRange } from "./store.js";

export type Listener = (event: StoredEvent | PassingEvent) => void;

/** Lower numbers are left to what another device of the user sends of the past. */
export const firstNumber = 10_000_000;
/** Numbers are reserved in the store so many at a time. */
const reserved = 1_000;

export class Ledger {
  readonly store: Store;
  readonly people = new People();
  readonly #listeners = new Set<Listener>();
  readonly #failures = new WeakSet<object>();
  #next = 0;
  #bound = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: Store) {
    this.store = untilClosed(store, this.#failures);
  }

  /** Whether the store has failed with this: it may work later, so nothing is given up because of it. */
  isFailure(problem: unknown): boolean {
    return this.#failures.has(Object(problem));
  }

  async load(): Promise<void> {
    const stored = await this.read(sequenceKey);
    this.#next = this.#bound = stored?.bound ?? firstNumber;
  }

  async read<T>(key: Key<T>): Promise<T | undefined> {
    const value = await this.store.get(key);
    return value && decodeRecord<T>(value);
  }

  async readAll<T>(prefix: Prefix<T>, range: Omit<StoreRange, "prefix"> = {}): Promise<[key: Key<T>, value: T][]> {
    return (await this.store.list({ prefix, ...range })).map(([key, value]) => [key as Key<T>, decodeRecord<T>(value)]);
  }

  /** Carries out jobs one after another. A job must not wait for another one, nor for the network. */
  inTurn<T>(job: (transaction: Transaction) => Promise<T>): Promise<T> {
    const run = () => job(new Transaction(this));
    const done = this.#last.then(run, run);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** A number that is higher than all before, also after a crash. Only for what is written in the same transaction. */
  nextNumber(): number {
    return this.#next++;
  }

  /** Writes changes, with a reservation of the numbers that were taken if that is due. */
  async write(changes: readonly StoreChange[]): Promise<void> {
    if (this.#next <= this.#bound) return this.store.write(changes);
    const bound = this.#next + reserved;
    await this.store.write([[sequenceKey, encodeRecord({ bound })], ...changes]);
    this.#bound = bound;
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Reports a listener's exception or rejection as a problem, unless the listener was handling a problem. */
  tell(event: StoredEvent | PassingEvent): void {
    if (this.people.isHidden(event)) return;
    const shown = this.people.shownEvent(event);
    const isProblem = event.type === "problem";
    for (const listener of this.#listeners)
      callBack(listener, [shown], isProblem ? undefined : (problem) => this.tell({ type: "problem", problem }));
  }
}

/** After `close` another program may have the store: a call of the application that is late must not write into it. */
function untilClosed(store: Store, failures: WeakSet<object>): Store {
  let isClosed = false;
  const use = async <T>(call: (opened: Store) => Promise<T>): Promise<T> => {
    try {
      if (isClosed) throw new Error("the device was closed");
      return await call(store);
    } catch (problem) {
      failures.add(Object(problem));
      throw problem;
    }
  };
  return {
    lock: (options) => store.lock(options),
    get: (key) => use((opened) => opened.get(key)),
    list: (range) => use((opened) => opened.list(range)),
    write: (changes) => use((opened) => opened.write(changes)),
    close: async () => {
      isClosed = true;
      await store.close();
    },
  };
}

interface LaterState {
  state: unknown;
  save(): Uint8Array;
}

/** One transaction. A job may commit several, one after another. */
export class Transaction {
  readonly #ledger: Ledger;
  #changes = new Map<string, Uint8Array | undefined>();
  #states = new Map<string, LaterState>();
  #events: StoredEvent[] = [];
  #then: (() => void)[] = [];

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  get people(): People {
    return this.#ledger.people;
  }

  /** What is stored, or will be once this is committed. */
  async get(key: string): Promise<Uint8Array | undefined> {
    return this.#changes.has(key) ? this.#changes.get(key) : this.#ledger.store.get(key);
  }

  async read<T>(key: Key<T>): Promise<T | undefined> {
    const value = await this.get(key);
    return value && decodeRecord<T>(value);
  }

  /** At most this many of the store, with those of this transaction. */
  async list(prefix: string, limit?: number): Promise<[key: string, value: Uint8Array][]> {
    const stored = await this.#ledger.store.list({ prefix, ...(limit !== undefined && { limit }) });
    const changed = [...this.#changes].filter(([key]) => key.startsWith(prefix));
    if (changed.length === 0) return stored;
    const all = new Map<string, Uint8Array | undefined>([...stored, ...changed]);
    const present = [...all].flatMap(([key, value]): [string, Uint8Array][] => (value ? [[key, value]] : []));
    return present.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  async readAll<T>(prefix: Prefix<T>, limit?: number): Promise<[key: Key<T>, value: T][]> {
    return (await this.list(prefix, limit)).map(([key, value]) => [key as Key<T>, decodeRecord<T>(value)]);
  }

  set<T extends object>(key: Key<T>, value: NoInfer<T>): void {
    this.setBytes(key, encodeRecord(value));
  }

  setBytes(key: string, value: Uint8Array): void {
    this.#states.delete(key);
    this.#changes.set(key, value);
  }

  remove(key: string): void {
    this.#states.delete(key);
    this.#changes.set(key, undefined);
  }

  /** A state that takes long to save: it is saved when this is committed, if no newer one has come by then. */
  setState(key: string, later: LaterState): void {
    this.#states.set(key, later);
  }

  /** The state that `setState` was given, until this is committed. */
  state(key: string): unknown {
    return this.#states.get(key)?.state;
  }

  /** Stores under a new key that is behind all others with this prefix. */
  add<T extends object>(prefix: Prefix<T>, value: NoInfer<T>): { key: Key<T>; seq: number } {
    const seq = this.#ledger.nextNumber();
    const key = numbered(prefix, seq);
    this.set(key, value);
    return { key, seq };
  }

  /** `kept` is what is stored of it. */
  event(event: GroupEvent, kept: KeptEvent = event): void {
    if (this.people.isHidden(event)) return;
    const { seq } = this.add(eventPrefix, kept);
    this.#events.push({ ...event, seq });
  }

  /** Called once the changes are stored: this is where memory follows the store. */
  afterwards(follow: () => void): void {
    this.#then.push(follow);
  }

  async commit(): Promise<void> {
    for (const [key, { save }] of this.#states) this.#changes.set(key, save());
    const [changes, then, events] = [[...this.#changes], this.#then, this.#events];
    [this.#changes, this.#states, this.#then, this.#events] = [new Map(), new Map(), [], []];
    if (changes.length > 0) await this.#ledger.write(changes);
    for (const follow of then) follow();
    for (const event of events) this.#ledger.tell(event);
  }
}
