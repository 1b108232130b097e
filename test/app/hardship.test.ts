import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished, test } from "vitest";
import { roomy } from "../groups/people.js";
import { launchBrowser, withServiceWorkers } from "../support/browser.js";
import { build } from "../support/build.js";
import { startKillableRelay } from "../support/killable-relay.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { chooseName, createGroup, entryOf, invite, join, openPage, say } from "./people.js";

const browser: Browser | undefined = await launchBrowser(withServiceWorkers);

let fixture: PeerFixture;
let relays: readonly [PeerRelay, PeerRelay];
beforeAll(async () => {
  await build("app");
  fixture = await createPeerFixture();
  const options = { ...roomy, app: "on" } as const;
  relays = [await fixture.relay(options), await fixture.relay(options)];
});
afterAll(async () => {
  await browser?.close();
  await fixture?.stop();
});

const addressOf = ({ domain }: Pick<PeerRelay, "domain">) => `https://${domain}/app/`;

/** Ada and Ben, of two relays, in a group that both have open. */
async function openFriends(adasRelay: Pick<PeerRelay, "domain"> = relays[0]): Promise<{ ada: Page; ben: Page }> {
  const ada = (await openPage(browser as Browser, addressOf(adasRelay))).page;
  await chooseName(ada, "Ada");
  await createGroup(ada, "Friends");
  const ben = (await openPage(browser as Browser, addressOf(relays[1]))).page;
  await chooseName(ben, "Ben");
  await join(ben, await invite(ada));
  await ben.getByRole("navigation").getByRole("button", { name: "Friends" }).click();
  return { ada, ben };
}

test.skipIf(browser === undefined)(
  "what is written offline, also before a reload, arrives once the network is back",
  async () => {
    const { ada, ben } = await openFriends();
    await ada.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await ada.context().setOffline(true);
    await say(ada, "From the train");
    await entryOf(ada, "Not sent yet").waitFor();
    await ada.reload();
    await ada.getByRole("navigation").getByRole("button", { name: "Friends" }).click();
    await entryOf(ada, "From the train").getByText("Not sent yet").waitFor();
    await say(ben, "While you are away");
    await ada.context().setOffline(false);
    await entryOf(ben, "From the train").waitFor();
    await entryOf(ada, "While you are away").waitFor();
    await entryOf(ada, "From the train").getByText("Read").waitFor();
  },
);

test.skipIf(browser === undefined)("a messenger whose connections to the relay break goes on by itself", async () => {
  const { ada, ben } = await openFriends();
  const { proxy } = relays[0];
  proxy.open = false;
  proxy.cut();
  await ada.getByText("Offline").waitFor();
  await say(ada, "Into the gap");
  await say(ben, "Over the gap");
  proxy.open = true;
  await entryOf(ben, "Into the gap").waitFor();
  await entryOf(ada, "Over the gap").waitFor();
  await ada.getByText("Online").waitFor();
});

test.skipIf(browser === undefined)(
  "a browser that refuses storage is used without it, if the person agrees",
  async () => {
    const { page } = await openPage(browser as Browser, addressOf(relays[0]), (page) =>
      page.addInitScript(() => {
        IDBFactory.prototype.open = () => {
          throw new DOMException("storage is refused", "SecurityError");
        };
      }),
    );
    await chooseName(page, "Ada");
    await page.getByText("does not let the page store").waitFor();
    await page.getByRole("button", { name: "Go on without storage" }).click();
    await createGroup(page, "Notes");
    await say(page, "For now only");
    await entryOf(page, "Sent").waitFor();
  },
);

test.skipIf(browser === undefined)("a page whose clock is two days wrong talks with the others", async () => {
  const ben = (await openPage(browser as Browser, addressOf(relays[1]))).page;
  await chooseName(ben, "Ben");
  await createGroup(ben, "Friends");
  const twoDaysMillis = 2 * 86_400_000;
  const { page: ada } = await openPage(browser as Browser, addressOf(relays[0]), (page) =>
    page.addInitScript((shift) => {
      const now = Date.now.bind(Date);
      Date.now = () => now() - shift;
    }, twoDaysMillis),
  );
  await chooseName(ada, "Ada");
  await join(ada, await invite(ben));
  await ada.getByRole("navigation").getByRole("button", { name: "Friends" }).click();
  await say(ada, "What day is it?");
  await entryOf(ben, "What day is it?").waitFor();
  await say(ben, "A later one");
  await entryOf(ada, "A later one").waitFor();
});

for (const [when, reachesRelay] of [
  ["before the relay has it", false],
  ["before the relay's answer is there", true],
] as const) {
  test.skipIf(browser === undefined)(`a page that is reloaded during a commit, ${when}, goes on with it`, async () => {
    const { page: ada } = await openPage(browser as Browser, addressOf(relays[0]));
    await chooseName(ada, "Ada");
    await createGroup(ada, "Friends");
    const link = await invite(ada);
    const isCommit = (url: URL) => url.pathname.includes("/slots/");
    const held = new Promise<void>((resolve) => {
      void ada.route(isCommit, async (route) => {
        if (route.request().method() !== "PUT") return route.fallback();
        if (reachesRelay) await route.fetch();
        // Nothing answers the page any more.
        resolve();
      });
    });
    const { page: ben } = await openPage(browser as Browser, addressOf(relays[1]));
    await chooseName(ben, "Ben");
    await join(ben, link);
    await held;
    await ada.unroute(isCommit);
    await ada.reload();
    await ben.getByRole("navigation").getByRole("button", { name: "Friends" }).click();
    await ada.getByRole("navigation").getByRole("button", { name: "Friends" }).click();
    await say(ben, "Am I in?");
    await entryOf(ada, "Am I in?").waitFor();
    await say(ada, "You are");
    await entryOf(ben, "You are").waitFor();
  });
}

test.skipIf(browser === undefined)(
  "people go on talking after the relay's process was killed and started again",
  async () => {
    const relay = await startKillableRelay(fixture, { env: { APP: "on" } });
    onTestFinished(() => relay.stop());
    const { ada, ben } = await openFriends(relay.relay.config);
    await say(ada, "Before");
    await entryOf(ben, "Before").waitFor();
    await relay.kill();
    await ada.getByText("Offline").waitFor();
    await say(ada, "Is anybody there?");
    await say(ben, "While your relay is away");
    await entryOf(ada, "Not sent yet").waitFor();
    await relay.start();
    await entryOf(ben, "Is anybody there?").waitFor();
    await entryOf(ada, "While your relay is away").waitFor();
    await entryOf(ada, "Is anybody there?").getByText("Read").waitFor();
    await ada.getByText("Online").waitFor();
  },
);

/** Runs in the page. Chromium believes for some time that there is as much room as it was when it last looked. */
async function untilDiskIsFull(): Promise<void> {
  const opening = indexedDB.open("probe");
  await new Promise((resolve, reject) => {
    opening.onupgradeneeded = () => opening.result.createObjectStore("probe");
    opening.onsuccess = resolve;
    opening.onerror = reject;
  });
  for (let isFull = false; !isFull; ) {
    isFull = await new Promise<boolean>((resolve) => {
      const transaction = opening.result.transaction("probe", "readwrite");
      transaction.objectStore("probe").put("a text", 1);
      transaction.oncomplete = () => setTimeout(resolve, 100, false);
      transaction.onabort = () => resolve(true);
    });
  }
}

test.skipIf(browser === undefined)("a full disk loses neither what a person writes nor what others send", async () => {
  const { ada, ben } = await openFriends();
  await say(ada, "There is room");
  await entryOf(ben, "There is room").waitFor();
  const { origin } = new URL(ada.url());
  const browserSide = await ada.context().newCDPSession(ada);
  await browserSide.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
  await ada.evaluate(untilDiskIsFull);
  await say(ada, "No room for this");
  await ada.getByRole("alert").filter({ hasText: "no room left" }).waitFor();
  await say(ben, "Sent to a full disk");
  await entryOf(ben, "Sent to a full disk")
    .getByText(/· Sent$/)
    .waitFor();
  await browserSide.send("Storage.overrideQuotaForOrigin", { origin });
  await ada.getByRole("button", { name: "Send" }).click();
  await entryOf(ben, "No room for this").waitFor();
  await entryOf(ada, "Sent to a full disk").waitFor();
});
