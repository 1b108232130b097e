import { hourSeconds } from "../protocol/units.js";
import { isRefusal, type Receiver, type ReceivingEnd, renewAddressesWhenDue } from "./receiver.js";

const usualPage = 100;
const largestPage = 1_000;
const askAgainSeconds = hourSeconds;

/** Reads the queue until it is empty, then waits as long as the relay said. Answers an end only where there is one. */
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

/** What the application could not deal with yet comes again with each page, so the page is larger by as much. */
async function pollUntilEmpty({ caller, inbox, acknowledger, signal, ...receiver }: Receiver): Promise<void> {
  for (let hasNews = true; hasNews && !signal.aborted; ) {
    const limit = Math.min(largestPage, usualPage + inbox.waiting());
    const page = await caller.call("pollMessages", { query: { limit }, signal });
    const news = page.messages.filter((message) => inbox.offer(message));
    await inbox.settled();
    await acknowledger.flush();
    hasNews = page.has_more && news.length > 0;
    if (receiver.options.transport === "poll") receiver.pollSeconds = page.next_poll_interval;
  }
}

/** A stream tells how many key packages remain; without one the relay is asked, from time to time. */
async function askForKeyPackages(receiver: Receiver): Promise<void> {
  const { connection, caller, options, signal } = receiver;
  const now = connection.clock.nowSeconds();
  if (options.onKeyPackagesRemaining === undefined || now < receiver.keyPackagesAskedAt + askAgainSeconds) return;
  receiver.keyPackagesAskedAt = now;
  options.onKeyPackagesRemaining((await caller.call("getKeyPackageStatus", { signal })).available_count);
}
