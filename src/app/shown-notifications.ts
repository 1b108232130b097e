// Browser notifications about new messages. The page shows them while it is hidden, and its service worker while there is no page, in the same way.

import type { Message } from "../groups/index.js";
import { fill, t } from "./texts.js";

/** A message to notify about, with its chat. */
export interface Notice {
  group: { id: string; name: string };
  message: Message;
}

/** The data of a notification. */
interface Carried {
  group?: string;
  /** The messages that it is about. */
  ids: readonly string[];
}

const tag = "messages";
const look = { icon: "./icon.png", badge: "./icon.png" };
/** More lines are never visible. */
const maxLines = 5;
const maxLineLength = 200;

/** The name of the entry that says whether notifications show names and texts. */
export const namesEntry = "names";

/** Whether a chat is silent, except for messages that mention the user. */
export function isQuiet({ muted, archived }: { muted?: unknown; archived?: unknown }): boolean {
  return muted === true || archived === true;
}

const carriedBy = ({ data }: Notification): Carried => data ?? { ids: [] };

/** Shows the waiting messages in place of earlier notifications. Only new messages alert the user. */
export async function showAll(
  registration: ServiceWorkerRegistration,
  { notices, hasMore, withNames }: { notices: readonly Notice[]; hasMore: boolean; withNames: boolean },
): Promise<void> {
  const byGroup = new Map<string, Notice[]>();
  for (const notice of withNames ? notices : [])
    byGroup.set(notice.group.id, [...(byGroup.get(notice.group.id) ?? []), notice]);
  const others = withNames ? [] : notices;
  const isGone = ({ data, tag: shown }: Notification) =>
    data?.group === undefined ? shown !== tag || (others.length === 0 && !hasMore) : !byGroup.has(data.group);
  for (const shown of await registration.getNotifications()) if (isGone(shown)) shown.close();
  for (const [group, those] of byGroup) await show(registration, titleOf(those), { group, those });
  if (others.length > 0 || hasMore) await show(registration, t.newMessages, { those: others, hasMore });
}

/** Shows one more message. */
export async function showOne(
  registration: ServiceWorkerRegistration,
  notice: Notice,
  withNames: boolean,
): Promise<void> {
  const { group } = notice;
  if (withNames) await show(registration, titleOf([notice]), { group: group.id, those: [notice] });
  else await show(registration, t.newMessages, { those: [notice] });
}

/** Closes notifications about messages that are gone. */
export async function closeAbout(registration: ServiceWorkerRegistration, gone: readonly string[]): Promise<void> {
  for (const shown of await registration.getNotifications())
    if (carriedBy(shown).ids.some((id) => gone.includes(id))) shown.close();
}

export async function closeAll(registration: ServiceWorkerRegistration): Promise<void> {
  for (const shown of await registration.getNotifications()) shown.close();
}

async function show(
  registration: ServiceWorkerRegistration,
  title: string,
  { group, those, hasMore = false }: { group?: string; those: readonly Notice[]; hasMore?: boolean },
): Promise<void> {
  const name = group === undefined ? tag : `${tag} ${group}`;
  const ids = those.map(({ message }) => message.id);
  const known = (await registration.getNotifications({ tag: name })).flatMap((shown) => carriedBy(shown).ids);
  const isNew = hasMore || ids.some((id) => !known.includes(id));
  const data: Carried = { ids, ...(group !== undefined && { group }) };
  const body = group === undefined ? "" : those.slice(-maxLines).map(lineOf).join("\n");
  // TypeScript does not know the option.
  const options = { tag: name, ...look, body, data, renotify: isNew, silent: !isNew };
  await registration.showNotification(title, options as NotificationOptions);
}

function titleOf(those: readonly Notice[]): string {
  const name = those[0]?.group.name || t.nameless;
  return those.length > 1 ? fill("{name} ({count})", { name, count: those.length }) : name;
}

/** The system may keep notifications, so they never show the text of a disappearing message. */
function lineOf({ message: { from, text, file, disappearsAtMillis } }: Notice): string {
  const said = text || file?.name || t.newMessage;
  const shown = disappearsAtMillis === undefined ? said : t.newMessage;
  return `${from.name || t.nameless}: ${shown.slice(0, maxLineLength)}`;
}
