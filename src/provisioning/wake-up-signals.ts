import { createWakeUp } from "../platform/concurrency/wake-up.js";

/** Wakes the subscribers of a name on this node. */
export type WakeUpSignals = ReturnType<typeof createWakeUpSignals>;

export interface Subscription {
  /** Resolves when there has been a notification since the last call, or after the given time. */
  wait(millis: number): Promise<void>;
  notify(): void;
  /** Ends the subscription. Must be called once. */
  close(): void;
}

export function createWakeUpSignals() {
  const subscriptions = new Map<string, Set<Subscription>>();
  let count = 0;

  return {
    /** Subscribes to a name. A notification from now on ends the next `wait`, even if it arrives before that. */
    subscribe(name: string): Subscription {
      const { wait, wake } = createWakeUp();
      const close = (): void => {
        count -= 1;
        const others = subscriptions.get(name);
        others?.delete(subscription);
        if (others?.size === 0) subscriptions.delete(name);
      };
      const subscription: Subscription = { wait, notify: wake, close };
      count += 1;
      subscriptions.set(name, (subscriptions.get(name) ?? new Set()).add(subscription));
      return subscription;
    },
    notify(name: string): void {
      for (const subscription of subscriptions.get(name) ?? []) subscription.notify();
    },
    notifyAll(): void {
      for (const subscribers of subscriptions.values()) for (const subscription of subscribers) subscription.notify();
    },
    /** The number of open subscriptions. */
    count: (): number => count,
  };
}
