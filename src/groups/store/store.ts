// Where a device keeps what must survive a restart. Everything that this package writes goes through this interface.

/** A key with its new value; undefined removes the key. */
export type StoreChange = readonly [key: string, value: Uint8Array | undefined];

/** Which keys to list, in the order of their UTF-16 code units. */
export interface StoreRange {
  prefix: string;
  /** Only keys behind this one. */
  after?: string;
  /** Only keys before this one. */
  before?: string;
  /** At most this many: the first ones, or the last ones if `last` is set. */
  limit?: number;
  /** Counts `limit` from the end. The answer is in ascending order nevertheless. */
  last?: boolean;
}

/** Byte strings by key. Keys are ASCII text of up to 200 characters. One program at a time has the store locked and uses it. */
export interface Store {
  /**
   * Locks the store until `close`, or until this program ends. Waits while another program or tab has it locked; without `wait` it
   * answers false then.
   */
  lock(options: { wait: boolean; signal?: AbortSignal }): Promise<boolean>;
  get(key: string): Promise<Uint8Array | undefined>;
  list(range: StoreRange): Promise<[key: string, value: Uint8Array][]>;
  /** Writes all changes or none. They survive a crash of the program and of the machine once the promise is fulfilled. */
  write(changes: readonly StoreChange[]): Promise<void>;
  /** Unlocks the store. It can be locked again. */
  close(): Promise<void>;
}

/** Another program or tab has the store locked. */
export class StoreLockedError extends Error {
  constructor() {
    super("another program or tab uses this store");
    this.name = "StoreLockedError";
  }
}
