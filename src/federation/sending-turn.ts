import type { Knex } from "knex";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../platform/clock.js";
import type { Config } from "../platform/config.js";
import type { Db, Pipeline } from "../platform/database/connection.js";
import type { Random } from "../platform/random.js";
import type { Domain } from "../protocol/address.js";
import type { InFlight } from "./in-flight.js";
import type { PeerCalls } from "./peer-calls.js";
import { backoffMillis } from "./sending-backoff.js";
import type { Parcel } from "./sending-parcel.js";
import { type Lease, releaseDestination, releaseFailed, type StoredTransaction } from "./sending-store.js";
import type { SentItem } from "./sending-verdict.js";
import { abandonTransaction, type Choice } from "./shipment-store.js";

export type SendingLimits = Pick<
  Config,
  | "outboxTransactionMessages"
  | "outboxTransactionBytes"
  | "outboxTurnTransactions"
  | "outboxLeaseSeconds"
  | "outboxMinBackoffSeconds"
  | "outboxMaxBackoffSeconds"
>;

export interface SendingNeeds {
  db: Knex;
  /** For what each transaction asks. */
  lanes: Db | Pipeline;
  clock: Clock;
  random: Pick<Random, "uuid" | "fraction">;
  metrics: Pick<MetricsService, "count">;
  calls: Pick<PeerCalls, "reach" | "deliver">;
  inFlight: InFlight;
  /** This server's name. */
  domain: Domain;
  limits: SendingLimits;
  /** Why nothing may be sent to a destination at the moment; undefined where it may. */
  obstacle(domain: Domain): string | undefined;
  /** Whether to make room: for a destination that waits, or because the node stops or nothing may be sent at all. */
  shouldYield(transactions: number): boolean;
  /** Set once the node has given the turn up: its outcome is nobody's any more. */
  abandoned(): boolean;
}

/** Where a turn stands. */
export interface Turn extends Lease {
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
  next: Parcel | undefined;
  /** The one behind it, once it is stored, and with it the end of the one before. */
  ahead: Promise<Parcel | undefined> | undefined;
}

/** What came of one transaction: go on, or leave the destination. */
export type Step = "on" | "over";

/** A new transaction of the usual size, of rows behind a position. */
export function choiceAfter(turn: Turn, after: number, { clock, random, limits }: SendingNeeds): Omit<Choice, "room"> {
  return {
    ...{ domain: turn.domain, leaseId: turn.leaseId, leaseSeconds: limits.outboxLeaseSeconds },
    ...{ transactionId: random.uuid(), nowMillis: clock.nowMillis(), after },
    ...{ limit: limits.outboxTransactionMessages, bytes: limits.outboxTransactionBytes },
  };
}

export function lastOf(items: readonly SentItem[]): number {
  return items.at(-1)?.position ?? 0;
}

/** Gives up what was to be sent next; it stays stored. */
export function dropNext(turn: Turn): void {
  turn.next?.room.free();
  turn.next = undefined;
}

/** Gives up what is stored, so that a transaction with another id is chosen. */
export async function abandon(turn: Turn, { db }: Pick<SendingNeeds, "db">): Promise<void> {
  turn.pending = [];
  await abandonTransaction(db, { ...turn, limit: turn.transactionLimit });
}

/** Ends the lease after an attempt that failed. */
export async function fail(
  turn: Turn,
  { problem, retryAfterSeconds }: { problem: string; retryAfterSeconds: number | null },
  needs: SendingNeeds,
): Promise<void> {
  const nowMillis = needs.clock.nowMillis();
  const wait = backoffMillis(turn.failures + 1, { retryAfterSeconds }, needs);
  const { domain, leaseId } = turn;
  await releaseFailed(needs.db, { domain, leaseId, nowMillis, nextAttemptMillis: nowMillis + wait, problem });
}

/** Ends the lease; the destination is due again at that time. */
export async function releaseAt(turn: Turn, nextAttemptMillis: number, { db }: SendingNeeds): Promise<void> {
  const { domain, leaseId } = turn;
  await releaseDestination(db, { domain, leaseId, nextAttemptMillis });
}
