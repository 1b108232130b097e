// The GroupInfo of a commit as a blob, once for all who join by it at this device's relay: with the ratchet tree of 200 members it has 100 KB, which
// would otherwise be in the Welcome to each of them.

import {
  BlobError,
  type BlobReference,
  type DecidedCommit,
  downloadBlob,
  readBlobReference,
  uploadBlob,
} from "../../client/index.js";
import { decodeRecord } from "../encoding/records.js";
import { isAtRelay } from "../mls/members.js";
import type { Core } from "../sending/core.js";
import { callLater } from "../sending/refusals.js";
import type { Transaction } from "../store/ledger.js";
import type { OwnCommit } from "./membership.js";
import { maxSharedBytes, type SharedInfo } from "./welcomes.js";

/** A Welcome whose GroupInfo is still to be fetched. */
interface Arriving extends SharedInfo {
  sealed: Uint8Array;
}

/** Welcomes that would take less together are complete each. */
const worthBytes = 64 * 1024;
/** Longer than the outbox repeats, and a relay keeps, a message. */
const keptSeconds = 45 * 86_400;
const prefix = "arriving/";
const maxArriving = 100;
const pauseMillis = 60_000;

/**
 * Uploads the GroupInfo of this device's own commit if that saves much. Undefined if it does not, or the relay takes no such blob: then each Welcome is
 * complete. After a crash it is uploaded again, and the blob of before ends by itself.
 */
export async function shareGroupInfo(
  { device, sealing, closing, problem }: Core,
  { state }: DecidedCommit,
): Promise<BlobReference | undefined> {
  const { welcomes, joiners } = state === undefined ? { joiners: [] } : decodeRecord<OwnCommit>(state);
  const sharing = joiners.filter(({ address }) => isAtRelay(address, sealing)).length;
  if (welcomes === undefined || sharing < 2) return undefined;
  const { length } = welcomes.groupInfo;
  if (sharing * length <= worthBytes || length > maxSharedBytes) return undefined;
  if ((await sealing.discover()).capabilities.blobs !== true) return undefined;
  try {
    const options = { lifetimeSeconds: keptSeconds, signal: closing };
    return readBlobReference((await uploadBlob(device, welcomes.groupInfo, options)).reference);
  } catch (what) {
    closing.throwIfAborted();
    problem(what);
    return undefined;
  }
}

/** Welcomes whose GroupInfo is fetched from this device's relay. */
export class Arrivals {
  readonly #core: Core;
  /** Goes on with a complete Welcome, and commits the transaction. */
  readonly #onArrived: (transaction: Transaction, sealed: Uint8Array, groupInfo: Uint8Array) => Promise<void>;
  /** Asks members to be added again. */
  readonly #onLost: (again: SharedInfo["again"]) => Promise<void>;
  #arriving: [key: string, Arriving][] = [];
  #last: Promise<void> = Promise.resolve();
  /** Whether a round of attempts waits for the one before it. */
  #willFetch = false;
  readonly #resumeAgain = () => this.resume();

  constructor(
    core: Core,
    {
      onArrived,
      onLost,
    }: {
      onArrived: (transaction: Transaction, sealed: Uint8Array, groupInfo: Uint8Array) => Promise<void>;
      onLost: (again: SharedInfo["again"]) => Promise<void>;
    },
  ) {
    this.#core = core;
    this.#onArrived = onArrived;
    this.#onLost = onLost;
  }

  async load(): Promise<void> {
    this.#arriving = await this.#core.ledger.readAll<Arriving>(prefix);
  }

  /** Stores a Welcome until its GroupInfo is there; false if too many wait. */
  keep(transaction: Transaction, entry: Arriving): boolean {
    if (this.#arriving.length >= maxArriving) return false;
    const { key } = transaction.add(prefix, entry);
    transaction.afterwards(() => {
      this.#arriving.push([key, entry]);
      this.resume();
    });
    return true;
  }

  /** Fetches what is missing, now and, if the relay does not answer, later. */
  resume(): void {
    if (this.#arriving.length === 0 || this.#willFetch) return;
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
    for (const [key, entry] of [...this.#arriving]) {
      if (this.#core.closing.aborted) return;
      if (!(await this.#fetch(key, entry))) isLeft = true;
    }
    if (isLeft) this.#resumeLater();
  }

  #resumeLater(): void {
    callLater(this.#core.sleep, pauseMillis, this.#resumeAgain);
  }

  /** False if the relay has not answered. */
  async #fetch(key: string, { reference, again, sealed }: Arriving): Promise<boolean> {
    const { ledger, device, closing } = this.#core;
    const { runtime } = device.connection;
    let groupInfo: Uint8Array | undefined;
    try {
      const file = new Response(downloadBlob(reference, { runtime, signal: closing }));
      groupInfo = new Uint8Array(await file.arrayBuffer());
    } catch (problem) {
      if (closing.aborted) return false;
      this.#core.problem(problem);
      if (!(problem instanceof BlobError)) return false;
      await this.#onLost(again);
    }
    await ledger.inTurn(async (transaction) => {
      transaction.remove(key);
      transaction.afterwards(() => {
        this.#arriving = this.#arriving.filter(([one]) => one !== key);
      });
      if (groupInfo === undefined) await transaction.commit();
      else await this.#onArrived(transaction, sealed, groupInfo);
    });
    return true;
  }
}
