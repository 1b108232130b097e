import type { Database, Db, Pipeline } from "../../database/connection.js";
import type { MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../node/clock.js";
import type { ByteSemaphore } from "../../platform/concurrency/byte-semaphore.js";
import type { Logger } from "../../platform/logger.js";
import type { Random } from "../../platform/random.js";
import type { Domain } from "../../protocol/address.js";
import { type PeerCalls, PeerError, type PeerOffers } from "../peers/types.js";
import { backoffMillis } from "./backoff.js";
import type { OutboxSettings } from "./config.js";
import { type DeliveryForm, formOf, plainForm } from "./delivery-form.js";
import { createInFlight, type InFlight } from "./in-flight.js";
import { type Claimed, type Lease, releaseDestination, releaseFailed, type StoredTransaction } from "./lease-store.js";
import type { OutgoingTransaction } from "./transaction.js";
import { abandonTransactions, forgetTransactions } from "./transaction-store.js";
import type { WakeUp } from "./wake-up.js";

// The state of a lease run, and the ways in which it forgets transactions and ends. See deliver.ts for the run itself.

type DeliveryConfig = Pick<
  OutboxSettings,
  | "outboxTransactionMessages"
  | "outboxLargeTransactionMessages"
  | "outboxTransactionBytes"
  | "outboxTransactionsInFlight"
  | "outboxTurnTransactions"
  | "outboxLingerMillis"
  | "outboxLeaseSeconds"
  | "outboxMinBackoffSeconds"
  | "outboxMaxBackoffSeconds"
>;

export interface DeliveryDeps {
  db: Database;
  /** For the statements of each transaction. */
  pipelined: Db | Pipeline;
  clock: Clock;
  random: Pick<Random, "uuid" | "fraction">;
  metrics: Pick<MetricsService, "count">;
  logger: Logger;
  calls: Pick<PeerCalls, "reach" | "deliver" | "offers">;
  inFlight: ByteSemaphore;
  /** This server's domain. */
  domain: Domain;
  config: DeliveryConfig;
  /** Why nothing may be sent to a destination at the moment; undefined if sending is allowed. */
  blockedReason(domain: Domain): string | undefined;
  /** Whether to end the run after so many transactions: another destination waits, the node stops, or sending is off. */
  shouldYield(transactions: number): boolean;
  /** True once the node has released the lease without waiting for the run, whose result is then ignored. */
  abandoned(): boolean;
}

export interface LeaseRun extends Lease {
  domain: Domain;
  /** Called when messages for the destination have been committed, and when a transaction has been answered. */
  wakeUp: WakeUp;
  /** Whether the destination had never answered a delivery when the run began. */
  unreached: boolean;
  /** Whether its first answer came in this run, which occupies a slot of unreached destinations. */
  newlyReached: boolean;
  failures: number;
  /** Most messages of a transaction, after a larger one was refused as a whole. Null for the peer's usual number. */
  transactionLimit: number | null;
  /** The peer's usual number. */
  usualMessages: number;
  form: DeliveryForm;
  /** Stored transactions to send again, in order, before any is chosen. */
  pending: StoredTransaction[];
  /** When the first delayed transaction is due, in Unix milliseconds; null if there is none. */
  delayedUntil: number | null;
  /** Rows up to this position are held or have been chosen in this run. */
  after: number;
  /** When the rows were last read from the first one on, in Unix milliseconds. Holds count as of then. */
  passBegan: number;
  /** Whether there may be recipients on hold. */
  held: boolean;
  /** What is behind `after`, as far as is known: nothing, or nothing that may be sent before another answer. */
  behind: "unknown" | "nothing" | "busy";
  /** Whether the transaction that was chosen last had as many messages or bytes as it may have. */
  lastWasFull: boolean;
  /** The destination's last position before the last look at all rows, if that look is to be the last. */
  lastLook: number | null;
  /** Answers in a row that settled no message, after which the run went on without a wait. */
  setbacks: number;
  /** Transactions sent in this run. */
  sent: number;
  inFlight: InFlight;
  /**
   * Transactions that are stored and encoded, and wait until their recipients have no other one in flight. No two have a recipient
   * in common.
   */
  next: PreparedTransaction[];
  /** Whether nothing is chosen before everything in flight has been answered, as rows of it would be chosen again. */
  drains: boolean;
}

interface PreparedTransaction extends OutgoingTransaction {
  /** The run's `after` before it was chosen. */
  chosenAfter: number;
}

/** The result of a step: continue, or leave the destination. */
export type Step = "on" | "over";

export function newRun(
  lease: Lease,
  claimed: Claimed,
  { wakeUp, nowMillis }: { wakeUp: WakeUp; nowMillis: number },
): LeaseRun {
  return {
    ...lease,
    domain: lease.domain as Domain,
    wakeUp,
    unreached: claimed.unreached,
    newlyReached: false,
    failures: claimed.failures,
    transactionLimit: claimed.transactionLimit,
    usualMessages: 1,
    form: plainForm,
    pending: claimed.transactions,
    delayedUntil: claimed.delayedUntil,
    after: 0,
    passBegan: nowMillis,
    held: claimed.held,
    behind: "unknown",
    lastWasFull: false,
    lastLook: null,
    setbacks: 0,
    sent: 0,
    inFlight: createInFlight(wakeUp),
    next: [],
    drains: false,
  };
}

/** Transactions of the size and form that the peer offers to take. */
export function useOffers(run: LeaseRun, offers: PeerOffers, config: DeliveryConfig): void {
  const { transactionMessages: offered } = offers;
  run.usualMessages = Math.min(
    offered ?? config.outboxTransactionMessages,
    Math.max(config.outboxTransactionMessages, config.outboxLargeTransactionMessages),
  );
  run.form = formOf(offers);
}

/** Frees the memory of the transactions that were to be sent next. They stay stored. */
export function freeNext(run: LeaseRun): void {
  for (const { room } of run.next) room.free();
  run.next = [];
}

/** Forgets the transactions that were to be sent next, so that their messages are chosen again under other ids. */
export async function dropNext(run: LeaseRun, { pipelined }: Pick<DeliveryDeps, "pipelined">): Promise<void> {
  const [first] = run.next;
  if (first === undefined) return;
  const transactionIds = run.next.map(({ transaction }) => transaction.id);
  freeNext(run);
  run.after = first.chosenAfter;
  run.behind = "unknown";
  run.drains = true;
  await forgetTransactions(pipelined, { ...run, transactionIds });
}

/** Forgets the stored transactions, so that their messages are chosen again under other ids. None may be in flight. */
export async function abandonStored(run: LeaseRun, { db }: Pick<DeliveryDeps, "db">): Promise<void> {
  freeNext(run);
  run.pending = [];
  lookAgain(run);
  await abandonTransactions(db, { ...run, limit: run.transactionLimit });
}

/** Forgets a transaction that is not in flight any more, and what is stored behind it. */
export async function abandon(
  run: LeaseRun,
  { id, delayed }: StoredTransaction,
  deps: Pick<DeliveryDeps, "db" | "pipelined">,
): Promise<void> {
  if (delayed !== null) await forgetTransactions(deps.pipelined, { ...run, transactionIds: [id] });
  await abandonStored(run, deps);
}

/** Has the rows read from the first one on. */
export function lookAgain(run: LeaseRun): void {
  run.after = 0;
  run.behind = "unknown";
}

/** Ends the lease after a failed attempt. */
export async function fail(
  run: LeaseRun,
  { problem, retryAfterSeconds }: { problem: string; retryAfterSeconds: number | null },
  deps: DeliveryDeps,
): Promise<Step> {
  const nowMillis = deps.clock.nowMillis();
  const wait = backoffMillis(run.failures + 1, { retryAfterSeconds }, deps);
  const { domain, leaseId } = run;
  await releaseFailed(deps.db, { domain, leaseId, nowMillis, nextAttemptMillis: nowMillis + wait, problem });
  return "over";
}

/** Ends the lease. The destination is due again at the given time. */
export async function releaseAt(run: LeaseRun, nextAttemptMillis: number, { db }: DeliveryDeps): Promise<Step> {
  const { domain, leaseId } = run;
  await releaseDestination(db, { domain, leaseId, nextAttemptMillis });
  return "over";
}

/** The problem of a peer that could not be called. Throws any other error. */
export function problemOf(cause: unknown): string {
  if (!(cause instanceof PeerError)) throw cause;
  const { problem, status, error } = cause;
  return [problem, status, error].filter((part) => part !== undefined).join(" ");
}
