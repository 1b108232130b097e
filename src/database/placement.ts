import type { Pace } from "../platform/concurrency/batcher.js";

/** Rows of one group with equal keys are on the same machine. */
export type PlacementGroup = "device" | "address" | "key" | "slot";

/** The key by which a row is placed: a text, or the bytes of a UUID or bytea. */
export type PlacementKey = string | Uint8Array;

/**
 * Where the rows of a database are: on one machine, as here, or on several (src/database/citus). It is determined once,
 * when the database is opened, and never changes while the relay runs.
 */
export interface Placement {
  /** Whether rows may be in partitions by day, which are dropped as a whole. If not, each row has an expiry. */
  readonly hasPartitions: boolean;
  /** Whether some rows may be unavailable while others are available. Look-ups then say which rows a message needs. */
  readonly canBePartlyDown: boolean;
  /** The pace of flushes, each of which takes all waiting messages, if the database needs one; see `createBatcher`. */
  readonly flushPace: Pace | undefined;
  /** Whether statements that are sent at once may be one transaction. */
  readonly joinsStatements: boolean;
  /** Statements for each session that repeats prepared statements. */
  readonly sessionSettings: string;
  /** Ends the list of a `select set_config(…)` for a transaction that locks rows of several devices. */
  readonly transactionSettings: string;
  /** A query for the name, the dead rows and the live rows of every table, with one row for each part of a table. */
  readonly tableStatistics: string;
  /**
   * The last condition of a statement that joins a table with rows that the statement contains: the values of its
   * column, so that only the machines with these values are asked. Empty on one machine.
   */
  onlyShardsOf(column: string, values: string): string;

  /** Watches the machines; `probe` asks for a row of the group "device", as the statements of messages do. */
  watch(probe: (deviceId: string) => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
  /** Checks every machine now, within a bounded time, for instance after a failed statement. Never throws. */
  check(): Promise<void>;
  /** Whether some machine cannot be used: it does not answer, or refuses connections. */
  someAreDown(): boolean;
  /** Whether the row with this key is on a machine that cannot be used. */
  isDown(group: PlacementGroup, key: PlacementKey): boolean;
}

/**
 * All rows are on one machine, which answers or does not. Each statement is planned once and the plan is kept, whatever the
 * size of the tables at that time: it must go through its arrays in order and find each row by its key, because rows are to
 * be locked in that order. Planning at each execution would take longer than the work itself.
 */
export const oneMachine: Placement = {
  hasPartitions: true,
  canBePartlyDown: false,
  flushPace: undefined,
  joinsStatements: true,
  sessionSettings: "set plan_cache_mode = force_generic_plan",
  transactionSettings: "",
  tableStatistics: "select relname as name, n_dead_tup as dead, n_live_tup as live from pg_stat_user_tables",
  onlyShardsOf: () => "",
  watch: async () => undefined,
  stop: async () => undefined,
  check: async () => undefined,
  someAreDown: () => false,
  isDown: () => false,
};
