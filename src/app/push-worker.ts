// What the service worker does when messages wait: it is loaded then, and opens them beside the page. Built into one file, because service workers cannot load more.

import { indexedDbStore, openPush, tsMls } from "../groups/push/index.js";
import { isQuiet, showAll } from "./shown-notifications.js";

/** Returns whether somebody is told. Throws if it is not known what waits. */
async function showWaiting(
  registration: ServiceWorkerRegistration,
  { store, withNames }: { store: string; withNames: boolean },
): Promise<boolean> {
  const { messages, unopened, isWhole } = await openPush({ store: indexedDbStore(store), mls: tsMls() });
  // Users who are named want to know it, also in a muted chat.
  const notices = messages.filter(({ group, isMention }) => isMention || !isQuiet(group.local));
  const hasMore = !isWhole || unopened.some(({ local }) => !isQuiet(local));
  await showAll(registration, { notices, hasMore, withNames });
  return notices.length > 0 || hasMore;
}

Object.assign(globalThis, { showWaiting });
