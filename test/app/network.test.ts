import type { Browser } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { voidSlotKey } from "../../src/slots/service.js";
import { launchBrowser, withServiceWorkers } from "../support/browser.js";
import { createTestDatabase } from "../support/database.js";
import { startKillableRelay } from "../support/killable-relay.js";
import { createGroup, entryOf, invite, join, openChat, openFriends, prepareAppTests, say, signUp } from "./people.js";

const { test, browser, relays, fixture } = await prepareAppTests([withServiceWorkers]);

test("what is written offline, also before a reload, arrives once the network is back", async () => {
  const { ada, ben } = await openFriends(browser, relays);
  await ada.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await ada.context().setOffline(true);
  await say(ada, "From the train");
  await entryOf(ada, "Not sent yet").waitFor();
  await ada.reload();
  await openChat(ada, "Friends");
  await entryOf(ada, "From the train").getByText("Not sent yet").waitFor();
  await ada.getByRole("button", { name: "Account" }).click();
  await ada.getByRole("button", { name: "Status of this device" }).click();
  const status = ada.getByRole("dialog", { name: "Status of this device" });
  await status.getByText("“Friends”: messages not sent to everyone yet: 1.").waitFor();
  await status.getByText(/ of .* used$/).waitFor();
  await say(ben, "While you are away");
  await ada.context().setOffline(false);
  await entryOf(ben, "From the train").waitFor();
  await status.getByText("Nothing is waiting.").waitFor();
  await ada.keyboard.press("Escape");
  await entryOf(ada, "While you are away").waitFor();
  await entryOf(ada, "From the train").getByText("Read").waitFor();
});

test("browsers offer to install the messenger", async () => {
  const whole = (await launchBrowser(withServiceWorkers)) as Browser;
  onTestFinished(() => whole.close());
  const { page } = await signUp(whole, relays[0], "Ada");
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  const browserSide = await page.context().newCDPSession(page);
  const { errors, data } = await browserSide.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  expect(JSON.parse(data ?? "")).toMatchObject({ display: "standalone", start_url: "./" });
  const { installabilityErrors } = await browserSide.send("Page.getInstallabilityErrors");
  // The profiles of tests are all that stands in the way.
  expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(["in-incognito"]);
});

test("a messenger whose connections to the relay break goes on by itself", async () => {
  const { ada, ben } = await openFriends(browser, relays);
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

for (const [when, reachesRelay] of [
  ["before the relay has it", false],
  ["before the relay's answer is there", true],
] as const) {
  test(`a page that is reloaded during a commit, ${when}, goes on with it`, async () => {
    const { page: ada } = await signUp(browser, relays[0], "Ada");
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
    const { page: ben } = await signUp(browser, relays[1], "Ben");
    await join(ben, link);
    await held;
    await ada.unroute(isCommit);
    await ada.reload();
    await openChat(ben, "Friends");
    await openChat(ada, "Friends");
    await say(ben, "Am I in?");
    await entryOf(ada, "Am I in?").waitFor();
    await say(ada, "You are");
    await entryOf(ben, "You are").waitFor();
  });
}

test("people go on talking after the relay's process was killed and started again", async () => {
  const relay = await startKillableRelay(fixture(), { env: { APP: "on" } });
  onTestFinished(() => relay.stop());
  const { ada, ben } = await openFriends(browser, [relay.relay.config, relays[1]]);
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
});

test("people whose relay was restored from a backup go on in a new group", async () => {
  const database = await createTestDatabase();
  const relay = await startKillableRelay(fixture(), { databaseUrl: database.url, env: { APP: "on" } });
  onTestFinished(async () => {
    await relay.stop();
    await database.drop();
  });
  const { ada, ben } = await openFriends(browser, [relay.relay.config, relays[1]]);
  await relay.kill();
  // As `after-restore` does.
  await voidSlotKey(database.db);
  await relay.start();
  await ada.getByText("Online").waitFor();
  await ada.getByRole("button", { name: "Details" }).click();
  await ada.getByRole("button", { name: "Invite people" }).click();
  await ada.getByRole("dialog").getByRole("alert").waitFor();
  await ada.getByRole("button", { name: "Close" }).click();
  await ada.getByText("The server was restored from a backup").waitFor();
  await ada.getByRole("button", { name: "New group with the same people" }).click();
  await ada.getByText("you, Ben", { exact: true }).waitFor();
  await say(ada, "Here we are");
  await ben.getByRole("navigation").getByText("Here we are").waitFor();
});
