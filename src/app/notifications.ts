// Browser notifications: by push while no page is open, and by the page while it is hidden.

import type { Groups } from "../groups/index.js";
import { remember, remembered } from "./local-storage.js";
import { Refusal } from "./refusal.js";
import { closeAbout, closeAll, type Notice, namesEntry, showOne } from "./shown-notifications.js";
import { t } from "./texts.js";

const wanted = "notify";
/** Whether notifications show names and texts, which the operating system may store. */
const named = "notify names";

/** Undefined on a page without HTTPS. It fails if the browser refuses the worker; the messenger then needs the network to start. */
const registered = navigator.serviceWorker?.register("./service-worker.js");
registered?.catch(() => undefined);

async function workerOf(): Promise<ServiceWorkerRegistration> {
  await registered;
  return navigator.serviceWorker.ready;
}

export function arePossible(): boolean {
  return "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;
}

export function areOn(): boolean {
  return arePossible() && Notification.permission === "granted" && remembered(wanted) === "yes";
}

/** Asks for permission, and subscribes to the browser's push service. */
export async function turnOn(me: Groups): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") throw new Refusal(t.notifyDenied);
  remember(wanted, "yes");
  await resume(me);
}

export async function turnOff(me: Groups): Promise<void> {
  remember(wanted, "no");
  await me.device.push.unsubscribe();
  await (await (await workerOf()).pushManager.getSubscription())?.unsubscribe();
}

export function haveNames(): boolean {
  return remembered(named) === "yes";
}

export async function setNames(withNames: boolean): Promise<void> {
  remember(named, withNames ? "yes" : "no");
  await tellWorker();
  await closeAll(await workerOf());
}

/** The worker reads no other storage of the page. */
async function tellWorker(): Promise<void> {
  const texts = await caches.open("mls-relay app texts");
  await texts.put("wake", new Response(t.newMessages));
  await texts.put("works", new Response(t.notifyWorks));
  await texts.put(namesEntry, new Response(haveNames() ? "yes" : "no"));
}

/** Runs at each start: the browser's subscription or the relay's key may have changed. */
export async function resume(me: Groups): Promise<void> {
  if (!areOn()) return;
  navigator.serviceWorker.onmessage = ({ data }) => {
    if (data.type === "chat") openChat(data.group);
    else void me.device.push.handle(JSON.stringify(data), { handle: () => undefined });
  };
  await tellWorker();
  await closeSeen();
  document.onvisibilitychange = () => void closeSeen().catch(() => undefined);
  const key = await me.device.push.applicationServerKey();
  if (key === undefined) return;
  const { pushManager } = await workerOf();
  const options = { userVisibleOnly: true, applicationServerKey: new Uint8Array(key) };
  const subscription = await pushManager.subscribe(options).catch(async () => {
    await (await pushManager.getSubscription())?.unsubscribe();
    return pushManager.subscribe(options);
  });
  const { endpoint = "", keys } = subscription.toJSON();
  const { p256dh = "", auth = "" } = keys ?? {};
  await me.device.push.subscribe({ endpoint, keys: { p256dh, auth } }, { urgency: "high" });
}

/** Opens a chat like a page that a notification has opened. */
function openChat(group: string | undefined): void {
  if (group !== undefined) location.hash = `chat=${group}`;
}

/** Users who are looking at the page see new messages anyway. */
async function closeSeen(): Promise<void> {
  if (document.visibilityState === "visible") await closeAll(await workerOf());
}

/** The relay sends no push while the page is open. */
export async function showIfHidden(notice: Notice | undefined): Promise<void> {
  if (!areOn() || document.visibilityState === "visible") return;
  const registration = await workerOf();
  if (notice !== undefined) return showOne(registration, notice, haveNames());
  await registration.showNotification(t.newMessages, { tag: "messages", icon: "./icon.png" });
}

/** Hides notifications of messages that were deleted or have disappeared. */
export async function withdraw(messages: readonly string[]): Promise<void> {
  if (areOn()) await closeAbout(await workerOf(), messages);
}
