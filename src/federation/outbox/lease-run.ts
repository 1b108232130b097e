import type { Knex } from "knex";
import type { MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../platform/cluster/clock.js";
import type { ByteSemaphore } from "../../platform/concurrency/byte-semaphore.js";
import type { Config } from "../../platform/config/config.js";
import type { Db, Pipeline } from "../../platform/database/connection.js";
import type { Random } from "../../platform/random.js";
import type { Domain } from "../../protocol/address.js";
import type { PeerCalls } from "../peers/calls.js";
import { backoffMillis } from "./backoff.js";
import { type Lease, releaseDestination, releaseFailed, type StoredTransaction } from "./lease-store.js";
import type { SentItem } from "./response.js";
import type { OutgoingTransaction } from "./transaction.js";
import { abandonTransaction, type Choice } from "./transaction-store.js";

export type SendingConfig = Pick<
  Config,
  | "outboxTransactionMessages"
  | "outboxTransactionBytes"
  | "outboxTurnTransactions"
  | "outboxLeaseSeconds"
  | "outboxMinBackoffSeconds"
  | "outboxMaxBackoffSeconds"
>;

export interface SendingDeps {
  db: Knex;
  /** For what each transaction asks. */
  pipelined: Db | Pipeline;
  clock: Clock;
  random: Pick<Random, "uuid" | "fraction">;
  metrics: Pick<MetricsService, "count">;
  calls: Pick<PeerCalls, "reach" | "deliver">;
  inFlight: ByteSemaphore;
  /** This server's name. */
  domain: Domain;
  config: SendingConfig;
  /** Why nothing may be sent to a destination at the moment; undefined where it may. */
  blockedReason(domain: Domain): string | undefined;
  /** Whether to make room: for a destination that waits, or because the node stops or nothing may be sent at all. */
  shouldYield(transactions: number): boolean;
  /** Set once the node has given the turn up: its outcome is nobody's any more. */
  abandoned(): boolean;
}

/** Where a turn stands. */
export interface LeaseRun extends Lease {
  domain: Domain;
  /** Whether it has never answered a delivery. */
  unreached: boolean;
  /** Whether its first answer came in this turn, which has no place among those that were reached. */
  newlyReached: boolean;
  failures: number;
  transactionLimit: number | null;
  /** The transactions to send again, in order, before any is chosen. */
  pending: StoredTransaction[];
  /** Rows up to here are held or sent in this turn. */
  after: number;
  /** Whether there may be recipients that are held. */
  held: boolean;
  /** Refusals of a whole transaction that were answered at once with another attempt. */
  instantRetries: number;
  /** A transaction that is stored and ready to go. */
  next: OutgoingTransaction | undefined;
  /** The one behind it, once it is stored, and with it the end of the one before. */
  ahead: Promise<OutgoingTransaction | undefined> | undefined;
}

/** What came of one transaction: go on, or leave the destination. */
export type Step = "on" | "over";

/** A new transaction of the usual size, of rows behind a position. */
export function choiceAfter(
  run: LeaseRun,
  after: number,
  { clock, random, config }: SendingDeps,
): Omit<Choice, "room"> {
  return {
    ...{ domain: run.domain, leaseId: run.leaseId, leaseSeconds: config.outboxLeaseSeconds },
    ...{ transactionId: random.uuid(), nowMillis: clock.nowMillis(), after },
    ...{ limit: config.outboxTransactionMessages, bytes: config.outboxTransactionBytes },
  };
}

export function lastOf(items: readonly SentItem[]): number {
  return items.at(-1)?.position ?? 0;
}

/** Gives up what was to be sent next; it stays stored. */
export function dropNext(run: LeaseRun): void {
  run.next?.room.free();
  run.next = undefined;
}

/** Gives up what is stored, so that a transaction with another id is chosen. */
export async function abandon(run: LeaseRun, { db }: Pick<SendingDeps, "db">): Promise<void> {
  run.pending = [];
  await abandonTransaction(db, { ...run, limit: run.transactionLimit });
}

/** Ends the lease after an attempt that failed. */
export async function fail(
  run: LeaseRun,
  { problem, retryAfterSeconds }: { problem: string; retryAfterSeconds: number | null },
  deps: SendingDeps,
): Promise<void> {
  const nowMillis = deps.clock.nowMillis();
  const wait = backoffMillis(run.failures + 1, { retryAfterSeconds }, deps);
  const { domain, leaseId } = run;
  await releaseFailed(deps.db, { domain, leaseId, nowMillis, nextAttemptMillis: nowMillis + wait, problem });
}

/** Ends the lease; the destination is due again at that time. */
export async function releaseAt(run: LeaseRun, nextAttemptMillis: number, { db }: SendingDeps): Promise<void> {
  const { domain, leaseId } = run;
  await releaseDestination(db, { domain, leaseId, nextAttemptMillis });
}
