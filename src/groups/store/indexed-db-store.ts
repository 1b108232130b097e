import type { Store, StoreChange, StoreRange } from "./store.js";

const valuesName = "values";

/** A store in the browser's IndexedDB. One tab at a time has it locked, by the Web Locks API. */
export function indexedDbStore(name: string): Store {
  return new IndexedDbStore(name);
}

class IndexedDbStore implements Store {
  readonly #name: string;
  #database: Promise<IDBDatabase> | undefined;
  /** Whether there has been a connection since it was locked. */
  #wasOpen = false;
  #unlock: (() => void) | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  lock({ wait, signal }: { wait: boolean; signal?: AbortSignal }): Promise<boolean> {
    const options = wait ? { ...(signal && { signal }) } : { ifAvailable: true };
    return new Promise((resolve, reject) => {
      const hold = (lock: Lock | null): Promise<void> | undefined => {
        resolve(lock !== null);
        if (lock === null) return undefined;
        return new Promise((unlock) => {
          this.#unlock = unlock;
        });
      };
      navigator.locks.request(`mls-relay groups ${this.#name}`, options, hold).catch(reject);
    });
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return answerOf((await this.#reading()).get(key));
  }

  async list({ prefix, after, before, limit, last = false }: StoreRange): Promise<[string, Uint8Array][]> {
    const [low, high] = [after ?? prefix, before ?? `${prefix}\uffff`];
    if (low >= high) return [];
    const values = await this.#reading();
    let range = IDBKeyRange.bound(low, high, after !== undefined, before !== undefined);
    if (last && limit !== undefined) {
      const first = await firstOfLast(values, range, limit);
      if (first !== undefined) range = IDBKeyRange.bound(first, high, false, before !== undefined);
    }
    const found = await Promise.all([
      answerOf(values.getAllKeys(range, limit)),
      answerOf<Uint8Array[]>(values.getAll(range, limit)),
    ]);
    return found[0].map((key, at) => [key as string, found[1][at] as Uint8Array]);
  }

  async write(changes: readonly StoreChange[]): Promise<void> {
    const transaction = await this.#begin("readwrite", { durability: "strict" });
    const values = transaction.objectStore(valuesName);
    const ended = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("the browser has stored nothing"));
    });
    for (const [key, value] of changes) {
      if (value === undefined) values.delete(key);
      else values.put(value, key);
    }
    await ended;
  }

  async close(): Promise<void> {
    const unlock = this.#unlock;
    this.#unlock = undefined;
    const database = await this.#database;
    this.#database = undefined;
    this.#wasOpen = false;
    database?.close();
    unlock?.();
  }

  async #reading(): Promise<IDBObjectStore> {
    return (await this.#begin("readonly")).objectStore(valuesName);
  }

  async #begin(mode: IDBTransactionMode, options?: IDBTransactionOptions): Promise<IDBTransaction> {
    const database = this.#open();
    try {
      return (await database).transaction(valuesName, mode, options);
    } catch (problem) {
      if (this.#unlock === undefined) throw problem;
      // Browsers lose connections: WebKit does while a page is in the background.
      if (database === this.#database) this.#database = undefined;
      return (await this.#open()).transaction(valuesName, mode, options);
    }
  }

  #open(): Promise<IDBDatabase> {
    this.#database ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(this.#name, 1);
      request.onupgradeneeded = () => {
        // What is in memory must not be written into an empty store.
        if (this.#wasOpen) request.transaction?.abort();
        else request.result.createObjectStore(valuesName);
      };
      request.onsuccess = () => {
        this.#wasOpen = true;
        resolve(request.result);
      };
      request.onerror = () => {
        this.#database = undefined;
        reject(this.#wasOpen ? new Error("the store is lost") : request.error);
      };
    });
    return this.#database;
  }
}

/** The key from which on there are `limit` ones. Undefined if there are fewer. */
function firstOfLast(values: IDBObjectStore, range: IDBKeyRange, limit: number): Promise<string | undefined> {
  const request = values.openKeyCursor(range, "prev");
  return new Promise((resolve, reject) => {
    let isThere = limit <= 1;
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const cursor = request.result;
      if (cursor === null || isThere) return resolve(cursor?.key as string | undefined);
      isThere = true;
      cursor.advance(limit - 1);
    };
  });
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
