import { isDeepStrictEqual } from "node:util";
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, expect, onTestFinished } from "vitest";
import { startPushService, type TestPushService } from "../../scripts/push-service/push-service.js";
import { expectAccessible } from "../console/harness.js";
import { withoutJitter } from "../push/sleeping.js";
import { launchBrowser, withServiceWorkers } from "../support/browser.js";
import { until } from "../support/until.js";
import {
  addressOf,
  chooseName,
  createGroup,
  entryOf,
  invite,
  join,
  openChat,
  openPage,
  prepareAppTests,
  say,
  signUp,
} from "./people.js";

let service: TestPushService;
afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});
const { test, browser, relays } = await prepareAppTests(
  [withServiceWorkers],
  async () => {
    service = await startPushService();
    return { ...service.config, ...withoutJitter };
  },
  launchBrowser,
);

/**
 * Lets a page subscribe at the push service of the test, as Chromium has none of its own without a key of its vendor. What the
 * service takes and decrypts is delivered to the page's service worker by Chromium.
 */
async function usePushService(page: Page): Promise<CDPSession> {
  await page.context().grantPermissions(["notifications"]);
  await page.exposeFunction("subscribeAtTest", (vapidKey: string) => {
    const { endpoint, p256dh, auth } = service.subscribe(vapidKey);
    return { endpoint, keys: { p256dh, auth } };
  });
  await page.addInitScript(() => {
    PushManager.prototype.subscribe = async (options) => {
      const { subscribeAtTest } = globalThis as unknown as { subscribeAtTest(key: string): Promise<object> };
      const key = btoa(String.fromCharCode(...(options?.applicationServerKey as Uint8Array)));
      const made = await subscribeAtTest(key.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""));
      return { toJSON: () => made } as PushSubscription;
    };
  });
  const browserSide = await page.context().newCDPSession(page);
  let registrationId = "";
  browserSide.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    registrationId = registrations.at(-1)?.registrationId ?? registrationId;
  });
  await browserSide.send("ServiceWorker.enable");
  service.answer = (_endpoint, { content }) => {
    const { origin } = new URL(relays[0].config.baseUrl);
    const data = content === null ? "" : JSON.stringify(content);
    void browserSide.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
    return undefined;
  };
  return browserSide;
}

const notificationsOf = (page: Page) =>
  page.evaluate(async () => {
    const shown = await (await navigator.serviceWorker.getRegistration("/app/"))?.getNotifications();
    return shown?.map(({ title, body }) => [title, body]);
  });

test("a closed messenger shows that messages wait, and nothing of them", async () => {
  const { page: ada } = await openPage(browser, addressOf(relays[0]), usePushService);
  await chooseName(ada, "Ada");
  await createGroup(ada, "Friends");
  const { page: ben } = await signUp(browser, relays[1], "Ben");
  await join(ben, await invite(ada));
  await openChat(ben, "Friends");

  await ada.getByRole("button", { name: "Account" }).click();
  await ada.getByRole("button", { name: "Turn on notifications" }).click();
  await ada.getByRole("button", { name: "Turn off notifications" }).waitFor();
  await say(ben, "While you are here");
  await entryOf(ada, "While you are here").waitFor();
  expect(await notificationsOf(ada)).toEqual([]);

  // A page of the relay that is not the messenger's. Nothing of that runs now but its service worker.
  await ada.goto(`https://${relays[0].domain}/openapi.json`);
  await say(ben, "A secret");
  await until(async () => (await notificationsOf(ada))?.length === 1, "the browser shows a notification");
  expect(await notificationsOf(ada)).toEqual([["New messages", ""]]);
  await ada.goto(addressOf(relays[0]));
  await openChat(ada, "Friends");
  await entryOf(ada, "A secret").waitFor();

  await ada.getByRole("button", { name: "Account" }).click();
  await ada.getByRole("button", { name: "Turn off notifications" }).click();
  await ada.getByRole("button", { name: "Turn on notifications" }).waitFor();
  const pushes = service.requests;
  await ada.goto(`https://${relays[0].domain}/openapi.json`);
  await say(ben, "Nobody is told of this");
  await ada.goto(addressOf(relays[0]));
  await openChat(ada, "Friends");
  await entryOf(ada, "Nobody is told of this").waitFor();
  expect(service.requests).toBe(pushes);
});

test("a notification names sender and text if its user wishes, of chats that are not muted, and only while the message is there", async () => {
  const { page: ada } = await openPage(browser, addressOf(relays[0]), usePushService);
  await chooseName(ada, "Ada");
  const { page: ben } = await signUp(browser, relays[1], "Ben");
  for (const name of ["Noise", "Friends"]) {
    await createGroup(ada, name);
    await join(ben, await invite(ada));
    await openChat(ben, name);
  }
  await ada.getByRole("button", { name: "Account" }).click();
  await ada.getByRole("button", { name: "Turn on notifications" }).click();
  const names = ada.getByRole("button", { name: "Show names and messages in notifications" });
  await names.click();
  await names.and(ada.getByRole("button", { pressed: true })).waitFor();
  await expectAccessible(ada);
  await ada.getByRole("button", { name: "Close" }).click();
  await openChat(ada, "Noise");
  await ada.getByRole("button", { name: "Details" }).click();
  await ada.getByRole("button", { name: "Muted", exact: true }).click();
  await ada.getByRole("button", { name: "Muted", exact: true, pressed: true }).waitFor();

  /** A page of the relay that is not the messenger's. */
  const leave = () => ada.goto(`https://${relays[0].domain}/openapi.json`);
  const untilShown = (expected: unknown) =>
    until(async () => isDeepStrictEqual(await notificationsOf(ada), expected), `shown is ${JSON.stringify(expected)}`);
  await leave();
  await openChat(ben, "Noise");
  await say(ben, "Nobody wants to know this");
  await openChat(ben, "Friends");
  await say(ben, "A secret");
  await untilShown([["Friends", "Ben: A secret"]]);
  for (const one of relays) one.clock.advance(60);
  await say(ben, "Another one");
  await untilShown([["Friends (2)", "Ben: A secret\nBen: Another one"]]);

  for (const text of ["A secret", "Another one"]) {
    await entryOf(ben, text).getByRole("button", { name: "React or reply" }).click();
    await ben.getByRole("button", { name: "Delete for everyone" }).click();
    await entryOf(ben, text).waitFor({ state: "detached" });
  }
  for (const one of relays) one.clock.advance(120);
  await openChat(ben, "Noise");
  await say(ben, "Nor this");
  await untilShown([]);

  for (const one of relays) one.clock.advance(120);
  await openChat(ben, "Friends");
  await say(ben, "Are you there?");
  await untilShown([["Friends", "Ben: Are you there?"]]);
  const chat = await ada.evaluate(async () => {
    const [shown] = (await (await navigator.serviceWorker.getRegistration("/app/"))?.getNotifications()) ?? [];
    return shown?.data.group as string;
  });
  await ada.goto(`${addressOf(relays[0])}#chat=${chat}`);
  await ada.getByRole("heading", { name: "Friends", level: 2 }).waitFor();
  await entryOf(ada, "Are you there?").waitFor();
  await untilShown([]);
});

test("a person is told if the browser runs no service worker", async () => {
  const strict = await launchBrowser();
  onTestFinished(() => strict?.close());
  const { page, context } = await openPage(strict as Browser, addressOf(relays[0]));
  await context.grantPermissions(["notifications"]);
  await chooseName(page, "Ada");
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("button", { name: "Turn on notifications" }).click();
  await page.getByRole("dialog").getByRole("alert").waitFor();
});
