import { hourSeconds } from "../protocol/units.js";
import { type Acknowledger, createAcknowledger } from "./acknowledger.js";
import type { Caller } from "./calls.js";
import type { Connection } from "./connection.js";
import { AnswerError } from "./failures.js";
import { createInbox, type Inbox, type InboxDeps } from "./inbox.js";
import type { Session, SessionKeeper } from "./session.js";

export type ReceivingStatus =
  /** The stream is open. */
  | { state: "streaming" }
  /** All that was queued has been handed over and acknowledged. */
  | { state: "empty" }
  /** The stream ended with this close code, or could not be opened, and is tried again after this time. */
  | { state: "reconnecting"; afterMillis: number; code: number; reason: string }
  /** The queue was polled, and is polled again after this time. */
  | { state: "polling"; afterMillis: number };

export interface ReceivingOptions {
  /** Called for one message at a time. The message is acknowledged once this resolves, so store it before. */
  handle: InboxDeps["handle"];
  /** Failures that receiving goes on after: of `handle`, of a poll, of an address renewal. */
  onProblem?: ((problem: unknown) => void) | undefined;
  onStatus?: ((status: ReceivingStatus) => void) | undefined;
  /** How many key packages the relay holds for the device, when it tells. */
  onKeyPackagesRemaining?: ((remaining: number) => void) | undefined;
  /** `poll` never opens a stream. */
  transport?: "stream" | "poll" | undefined;
  /** Addresses are announced anew after this; 12 hours unless given, 0 for never. */
  renewAddressesAfterSeconds?: number | undefined;
  pingSeconds?: number | undefined;
}

export type ReceivingEnd =
  | { reason: "stopped" }
  /** Another client of the same device took over. */
  | { reason: "replaced" }
  /** The relay refuses this device. */
  | { reason: "refused"; cause: unknown };

export interface Receiving {
  /** Never rejects. */
  readonly ended: Promise<ReceivingEnd>;
  /** Stops, and resolves when the message that is being handled is through and acknowledged. */
  stop(): Promise<void>;
}

export interface ReceivingDeps {
  connection: Connection;
  keeper: SessionKeeper<Session>;
  caller: Caller;
  renewAddresses(): Promise<unknown>;
}

const usualPollSeconds = 30;
const usualAddressRenewalSeconds = 12 * hourSeconds;
const addressRenewalPauseSeconds = 1_200;

/** One run of receiving, and what its parts share. */
export interface Receiver extends ReceivingDeps {
  options: ReceivingOptions;
  signal: AbortSignal;
  inbox: Inbox;
  acknowledger: Acknowledger;
  problem(problem: unknown): void;
  /** As the relay said last. */
  pollSeconds: number;
  renewalNotBefore: number;
  keyPackagesAskedAt: number;
}

export function createReceiver(deps: ReceivingDeps, options: ReceivingOptions, signal: AbortSignal): Receiver {
  const { runtime } = deps.connection;
  const acknowledger = createAcknowledger(deps.caller);
  const problem = (what: unknown) => options.onProblem?.(what);
  const { handle } = options;
  const inbox = createInbox({ handle, done: acknowledger.done, onProblem: problem, runtime, signal });
  return {
    ...deps,
    options,
    signal,
    inbox,
    acknowledger,
    problem,
    pollSeconds: usualPollSeconds,
    renewalNotBefore: 0,
    keyPackagesAskedAt: 0,
  };
}

/** Whether trying again later is of no use: the relay answered, and it is not about load or limits. */
export function isRefusal(problem: unknown): boolean {
  return problem instanceof AnswerError && problem.status < 500 && problem.status !== 429;
}

/** Addresses lapse after a day or so; they are announced anew long before that. */
export async function renewAddressesWhenDue(receiver: Receiver): Promise<void> {
  const { connection, keeper, options } = receiver;
  const after = options.renewAddressesAfterSeconds ?? usualAddressRenewalSeconds;
  const now = connection.clock.nowSeconds();
  const announcedAt = keeper.current()?.announcedAt ?? now;
  if (after === 0 || now < announcedAt + after || now < receiver.renewalNotBefore) return;
  receiver.renewalNotBefore = now + addressRenewalPauseSeconds;
  await receiver.renewAddresses().catch(receiver.problem);
}
