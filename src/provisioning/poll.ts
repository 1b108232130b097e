import type { Database } from "../database/db.js";
import type { Notifications } from "../database/pool/notifications.js";
import type { Clock } from "../node/clock.js";
import type { Random } from "../platform/random.js";
import { overloaded, RelayError } from "../protocol/errors.js";
import type { ProvisioningSettings } from "./config.js";
import { findAddress, setWaiter, takeBlob, takeBlobFor } from "./store.js";
import type { Subscription, WakeUpSignals } from "./wake-up-signals.js";

/** The result of a poll: the blob, or when the address expires (Unix seconds). */
export type Polled = { ciphertext: Buffer } | { expiresAt: number };

/** The polls that wait for blobs on this node. */
interface Polling {
  /**
   * Waits at most `waitSeconds` for the blob of an address and takes it. The caller has checked the poll token. Throws
   * NOT_FOUND if the address does not exist, or OVERLOADED if too many polls are waiting.
   */
  poll(address: {
    id: string;
    replaces: boolean;
    waitSeconds: number;
    /** The hash of the download that gets the blob, and may get it again. */
    download: Buffer | undefined;
    gone: AbortSignal;
  }): Promise<Polled>;
  /** Ends all waiting polls, and lets no later poll wait. */
  end(): void;
}

interface Poll {
  id: string;
  waiter: string;
  download: Buffer | undefined;
}

const millisPerSecond = 1000;
const overloadedRetrySeconds = 5;

/**
 * A poll first makes itself the waiter of the address, in the database, and then checks for a blob: at once, when it is
 * notified, and every few seconds, since notifications between nodes may be lost. It ends when it has the blob, when its
 * time is up, when a newer poll has become the waiter, when its client disconnects, or when the node drains. Only the
 * waiter takes the blob, so an older poll cannot send it to a connection that nobody reads. Between two checks a poll
 * holds only a timer.
 */
export function createPolling(deps: {
  db: Database;
  clock: Clock;
  random: Pick<Random, "uuid">;
  wakeUpSignals: WakeUpSignals;
  notifications: Pick<Notifications, "notify">;
  channel: string;
  config: ProvisioningSettings;
}): Polling {
  const { db, clock, random, wakeUpSignals, notifications, channel, config } = deps;
  let ending = false;

  const check = async ({ id, waiter, download }: Poll): Promise<Polled & { isReplaced?: true }> => {
    const now = clock.nowSeconds();
    const found = await findAddress(db, { id, now });
    if (found === undefined || (found.deliveredTo !== null && !download?.equals(found.deliveredTo))) throw notFound();
    const { expiresAt } = found;
    if (found.waiter !== waiter) return { expiresAt, isReplaced: true };
    if (!found.isFilled) return { expiresAt };
    const ciphertext =
      download === undefined
        ? await takeBlob(db, { id, waiter, now })
        : await takeBlobFor(db, { id, waiter, now, download });
    return ciphertext === undefined ? { expiresAt, isReplaced: true } : { ciphertext };
  };
  const wait = async (subscription: Subscription, poll: Poll & { until: number; gone: AbortSignal }) => {
    for (;;) {
      const found = await check(poll);
      const left = poll.until - clock.nowMillis();
      if ("ciphertext" in found || found.isReplaced || ending || poll.gone.aborted || left <= 0) return found;
      const untilExpiry = found.expiresAt * millisPerSecond - clock.nowMillis();
      await subscription.wait(
        Math.max(1, Math.min(left, untilExpiry, config.provisioningLookSeconds * millisPerSecond)),
      );
      if (poll.gone.aborted) return found;
    }
  };

  return {
    async poll({ id, replaces, waitSeconds, download, gone }) {
      if (waitSeconds > 0 && wakeUpSignals.count() >= config.provisioningWaitersPerNode) throw tooMany();
      const until = clock.nowMillis() + Math.min(waitSeconds, config.provisioningMaxWaitSeconds) * millisPerSecond;
      const waiter = random.uuid();
      const subscription = wakeUpSignals.subscribe(id);
      const wake = () => subscription.notify();
      gone.addEventListener("abort", wake, { once: true });
      try {
        await setWaiter(db, { id, waiter });
        if (replaces) notifications.notify(channel, id);
        return await wait(subscription, { id, waiter, download, until, gone });
      } finally {
        gone.removeEventListener("abort", wake);
        subscription.close();
      }
    },
    end() {
      ending = true;
      wakeUpSignals.notifyAll();
    },
  };
}

/** The address is unknown, has expired, or its blob has been taken. The error does not distinguish these. */
export function notFound(): RelayError {
  return new RelayError("NOT_FOUND", "there is no such provisioning address");
}

function tooMany(): RelayError {
  return overloaded("too many polls are waiting on this server", overloadedRetrySeconds);
}
