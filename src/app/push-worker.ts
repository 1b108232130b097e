// Loaded by the service worker when messages wait: opens them beside the page. It is built into one file, because a service worker cannot load more.

import { indexedDbStore, openPush, tsMls } from "../groups/push/index.js";
import { isQuiet, showAll } from "./shown-notifications.js";

/** Returns whether a notification was shown. Throws if the waiting messages could not be read. */
async function showWaiting(
  registration: ServiceWorkerRegistration,
  { store, withNames }: { store: string; withNames: boolean },
): Promise<boolean> {
  const { messages, unopened, isWhole } = await openPush({ store: indexedDbStore(store), mls: tsMls() });
  // Users want to know when they are mentioned, even in a muted chat.
  const notices = messages.filter(({ group, isMention }) => isMention || !isQuiet(group.local));
  const hasMore = !isWhole || unopened.some(({ local }) => !isQuiet(local));
  await showAll(registration, { notices, hasMore, withNames });
  return notices.length > 0 || hasMore;
}

Object.assign(globalThis, { showWaiting });
