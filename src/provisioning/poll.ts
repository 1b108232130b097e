import type { Knex } from "knex";
import type { Clock } from "../platform/cluster/clock.js";
import type { Config } from "../platform/config/config.js";
import type { Notifications } from "../platform/database/notifications.js";
import type { Random } from "../platform/random.js";
import { RelayError } from "../protocol/errors.js";
import { findAddress, setWaiter, takeBlob } from "./store.js";
import type { WakeUpSignal, WakeUpSignals } from "./wake-up-signals.js";

/** What a poll brings back: the blob, or until when one may still come. */
export type Polled = { ciphertext: Buffer } | { expiresAt: number };

export interface Waiting {
  /**
   * Takes the blob of an address as soon as there is one, for at most `waitSeconds`; the caller has shown the poll token.
   * Throws NOT_FOUND where the address is gone, OVERLOADED where too many wait.
   */
  poll(address: { id: string; replaces: boolean; waitSeconds: number; gone: AbortSignal }): Promise<Polled>;
  /** Answers all who wait, and lets nobody wait any more. */
  end(): void;
}

export type WaitingConfig = Pick<
  Config,
  "provisioningMaxWaitSeconds" | "provisioningLookSeconds" | "provisioningWaitersPerNode"
>;

const millisPerSecond = 1000;
const overloadedRetrySeconds = "5";

/**
 * A poll first makes itself the address's waiter, in the database, and then looks whether there is a blob for it: at once,
 * when its bell rings, and every few seconds, since rings between nodes may be lost. It ends when it has the blob, when
 * its time is over, when a newer poll has become the waiter, when its client has gone, or when the node drains. Only the
 * waiter takes the blob, so no older poll carries it off to a connection that nobody reads. Between two looks a poll holds
 * nothing but a timer.
 */
export function createWaiting(deps: {
  db: Knex;
  clock: Clock;
  random: Pick<Random, "uuid">;
  wakeUpSignals: WakeUpSignals;
  notifications: Pick<Notifications, "notify">;
  channel: string;
  config: WaitingConfig;
}): Waiting {
  const { db, clock, random, wakeUpSignals, notifications, channel, config } = deps;
  let ending = false;

  const look = async (id: string, waiter: string): Promise<Polled & { isReplaced?: true }> => {
    const now = clock.nowSeconds();
    const found = await findAddress(db, { id, now });
    if (found === undefined) throw notFound();
    const { expiresAt } = found;
    if (found.waiter !== waiter) return { expiresAt, isReplaced: true };
    if (!found.isFilled) return { expiresAt };
    const ciphertext = await takeBlob(db, { id, waiter, now });
    return ciphertext === undefined ? { expiresAt, isReplaced: true } : { ciphertext };
  };
  const wait = async (signal: WakeUpSignal, poll: { id: string; waiter: string; until: number; gone: AbortSignal }) => {
    for (;;) {
      const seen = await look(poll.id, poll.waiter);
      const left = poll.until - clock.nowMillis();
      if ("ciphertext" in seen || seen.isReplaced || ending || poll.gone.aborted || left <= 0) return seen;
      const untilExpiry = seen.expiresAt * millisPerSecond - clock.nowMillis();
      await signal.heard(Math.max(1, Math.min(left, untilExpiry, config.provisioningLookSeconds * millisPerSecond)));
      if (poll.gone.aborted) return seen;
    }
  };

  return {
    async poll({ id, replaces, waitSeconds, gone }) {
      if (waitSeconds > 0 && wakeUpSignals.count() >= config.provisioningWaitersPerNode) throw tooMany();
      const until = clock.nowMillis() + Math.min(waitSeconds, config.provisioningMaxWaitSeconds) * millisPerSecond;
      const waiter = random.uuid();
      const signal = wakeUpSignals.hang(id);
      const leave = () => signal.ring();
      gone.addEventListener("abort", leave, { once: true });
      try {
        await setWaiter(db, { id, waiter });
        if (replaces) notifications.notify(channel, id);
        return await wait(signal, { id, waiter, until, gone });
      } finally {
        gone.removeEventListener("abort", leave);
        signal.takeDown();
      }
    },
    end() {
      ending = true;
      wakeUpSignals.ringAll();
    },
  };
}

/** The address is unknown, has expired, or its blob has been taken: nobody is told which. */
export function notFound(): RelayError {
  return new RelayError("NOT_FOUND", "there is no such provisioning address");
}

function tooMany(): RelayError {
  const headers = { "Retry-After": overloadedRetrySeconds };
  return new RelayError("OVERLOADED", "too many polls are waiting on this server", { headers });
}
