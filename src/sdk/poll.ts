import { hourSeconds } from "../protocol/units.js";
import { isRefusal, type Receiver, type ReceivingEnd, renewAddressesWhenDue } from "./receiver.js";

const usualPage = 100;
const largestPage = 1_000;
const askAgainSeconds = hourSeconds;

/** Polls until the queue is empty, then waits as long as the relay asked. Returns an end only where receiving ends. */
export async function pollAndWait(receiver: Receiver): Promise<ReceivingEnd | undefined> {
  const { connection, options, signal } = receiver;
  try {
    await pollUntilEmpty(receiver);
    await renewAddressesWhenDue(receiver);
    await askForKeyPackages(receiver);
  } catch (problem) {
    if (signal.aborted) return undefined;
    receiver.problem(problem);
    if (isRefusal(problem)) return { reason: "refused", cause: problem };
  }
  const afterMillis = 1000 * receiver.pollSeconds;
  options.onStatus?.({ state: "polling", afterMillis });
  await connection.runtime.sleep(afterMillis, signal).catch(() => undefined);
  return undefined;
}

/** Unhandled messages are delivered again with each page, so the page is larger by their number. */
async function pollUntilEmpty({ caller, inbox, acknowledger, signal, ...receiver }: Receiver): Promise<void> {
  for (let hasNew = true; hasNew && !signal.aborted; ) {
    const limit = Math.min(largestPage, usualPage + inbox.waiting());
    const page = await caller.call("pollMessages", { query: { limit }, signal });
    const fresh = page.messages.filter((message) => inbox.offer(message));
    await inbox.settled();
    await acknowledger.flush();
    hasNew = page.has_more && fresh.length > 0;
    if (receiver.options.transport === "poll") receiver.pollSeconds = page.next_poll_interval;
  }
}

/** A stream reports how many key packages remain. Without one, this asks the relay from time to time. */
async function askForKeyPackages(receiver: Receiver): Promise<void> {
  const { connection, caller, options, signal } = receiver;
  const now = connection.clock.nowSeconds();
  if (options.onKeyPackagesRemaining === undefined || now < receiver.keyPackagesAskedAt + askAgainSeconds) return;
  receiver.keyPackagesAskedAt = now;
  options.onKeyPackagesRemaining((await caller.call("getKeyPackageStatus", { signal })).available_count);
}
