// Welcomes whose GroupInfo is a blob at this device's relay. They are stored until it has been fetched.

import { BlobError, downloadBlob } from "../../client/index.js";
import type { DeviceCore } from "../sending/device-core.js";
import { callLater } from "../sending/retry.js";
import type { Ledger, Transaction } from "../store/ledger.js";
import { arrivingPrefix } from "../store/record-keys.js";
import type { Arriving } from "../store/records.js";
import type { FollowUp } from "./follow-ups.js";
import type { CommitLoops } from "./loops-of-all-groups.js";

const maxArriving = 100;
const pauseMillis = 60_000;

/** Welcomes whose GroupInfo is fetched from this device's relay. */
export class Arrivals {
  readonly #ledger: Ledger;
  readonly #listeners = new Set<() => void>();
  #arriving: [key: string, Arriving][] = [];

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  async load(): Promise<void> {
    this.#arriving = await this.#ledger.readAll(arrivingPrefix);
  }

  all(): [key: string, Arriving][] {
    return [...this.#arriving];
  }

  /** Stores a Welcome until its GroupInfo is there; false if too many wait. */
  keep(transaction: Transaction, entry: Arriving): boolean {
    if (this.#arriving.length >= maxArriving) return false;
    const { key } = transaction.add(arrivingPrefix, entry);
    transaction.afterwards(() => {
      this.#arriving.push([key, entry]);
      for (const listener of this.#listeners) listener();
    });
    return true;
  }

  remove(transaction: Transaction, key: string): void {
    transaction.remove(key);
    transaction.afterwards(() => {
      this.#arriving = this.#arriving.filter(([one]) => one !== key);
    });
  }

  /** Calls a listener when a Welcome is stored. */
  subscribe(listener: () => void): void {
    this.#listeners.add(listener);
  }
}

interface FetcherParts {
  arrivals: Arrivals;
  arriving: {
    /** Handles a complete Welcome, and commits the transaction. */
    arrived(transaction: Transaction, sealed: Uint8Array, groupInfo: Uint8Array): Promise<FollowUp[]>;
  };
  loops: CommitLoops;
}

/** Fetches the GroupInfo of Welcomes. */
export class Fetcher {
  readonly #core: DeviceCore;
  readonly #parts: FetcherParts;
  #last: Promise<void> = Promise.resolve();
  /** Whether a round of attempts waits for the one before it. */
  #willFetch = false;
  readonly #resumeAgain = () => this.resume();

  constructor(core: DeviceCore, parts: FetcherParts) {
    this.#core = core;
    this.#parts = parts;
    parts.arrivals.subscribe(this.#resumeAgain);
  }

  /** Fetches what is missing, now and, if the relay does not answer, later. */
  resume(): void {
    if (this.#parts.arrivals.all().length === 0 || this.#willFetch) return;
    this.#willFetch = true;
    const fetchAll = () => {
      this.#willFetch = false;
      return this.#fetchAll();
    };
    this.#last = this.#last.then(fetchAll).catch((problem: unknown) => {
      this.#core.problem(problem);
      this.#resumeLater();
    });
  }

  async #fetchAll(): Promise<void> {
    let isLeft = false;
    for (const [key, entry] of this.#parts.arrivals.all()) {
      if (this.#core.closing.aborted) return;
      if (!(await this.#fetch(key, entry))) isLeft = true;
    }
    if (isLeft) this.#resumeLater();
  }

  #resumeLater(): void {
    callLater(this.#core.sleep, pauseMillis, this.#resumeAgain);
  }

  /** False if the relay has not answered. */
  async #fetch(key: string, { reference, sealed }: Arriving): Promise<boolean> {
    const { ledger, device, closing } = this.#core;
    const { runtime } = device.connection;
    let groupInfo: Uint8Array | undefined;
    try {
      const file = new Response(downloadBlob(reference, { runtime, signal: closing }));
      groupInfo = new Uint8Array(await file.arrayBuffer());
    } catch (problem) {
      if (closing.aborted) return false;
      this.#core.problem(problem);
      // Nobody else is asked for it, because a stranger may have named them. A member has to add this device again.
      if (!(problem instanceof BlobError)) return false;
    }
    const { arrivals, loops, arriving } = this.#parts;
    const followUps = await ledger.inTurn(async (transaction) => {
      arrivals.remove(transaction, key);
      if (groupInfo !== undefined) return arriving.arrived(transaction, sealed, groupInfo);
      await transaction.commit();
      return [];
    });
    loops.do(followUps);
    return true;
  }
}
