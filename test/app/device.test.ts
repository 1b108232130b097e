import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import { expectAccessible } from "../console/harness.js";
import {
  addressOf,
  chooseName,
  createGroup,
  entryOf,
  invite,
  join,
  openChat,
  openFriends,
  openPage,
  prepareAppTests,
  say,
  signUp,
} from "./people.js";

const { test, browser, relays } = await prepareAppTests();

test("a browser that refuses storage is used without it, if the person agrees", async () => {
  const { page } = await openPage(browser, addressOf(relays[0]), (page) =>
    page.addInitScript(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException("storage is refused", "SecurityError");
      };
    }),
  );
  await chooseName(page, "Ada");
  await page.getByText("does not allow this page to store").waitFor();
  await page.getByRole("button", { name: "Continue without storage" }).click();
  await createGroup(page, "Notes");
  await say(page, "For now only");
  await entryOf(page, "Sent").waitFor();
});

test("a person whose browser has deleted the keys is told so, and starts again if they wish", async () => {
  const { page } = await signUp(browser, relays[0], "Ada");
  await createGroup(page, "Notes");
  await page.goto(`https://${relays[0].domain}/healthz`);
  await page.evaluate(async () => {
    for (const { name = "" } of await indexedDB.databases())
      await new Promise((resolve) => {
        indexedDB.deleteDatabase(name).onsuccess = resolve;
      });
  });
  await page.goto(addressOf(relays[0]));
  await page.getByRole("heading", { name: "This browser has deleted your data" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Start again" }).click();
  await page.getByRole("heading", { name: "Ada", level: 1 }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Ada", level: 1 }).waitFor();
});

test("a person who has lost everything in their browser goes on from a backup, at another relay", async () => {
  const { ada, ben } = await openFriends(browser, relays);
  await say(ada, "Before");
  await entryOf(ben, "Before").waitFor();
  await ada.getByRole("button", { name: "Make a backup" }).waitFor({ state: "detached" });
  // As if a day had gone by.
  await ada.evaluate(() => localStorage.setItem("mls-relay app askBackup", "1"));
  await ada.reload();
  await ada.getByRole("button", { name: "Make a backup" }).click();
  await ada.getByRole("button", { name: "Create a recovery key" }).click();
  const key = (await ada.locator(".digits").textContent()) ?? "";
  expect(key).toMatch(/^(\d{5} ){9}\d{5}$/);
  const downloading = ada.waitForEvent("download");
  await ada.getByRole("button", { name: "Save a backup file" }).click();
  const download = await downloading;
  // The browser deletes it with the context.
  const file = { name: download.suggestedFilename(), mimeType: "", buffer: await readFile(await download.path()) };
  await ada.getByText(/^Last backup file/).waitFor();
  await expectAccessible(ada);
  await ada.getByRole("button", { name: "Close" }).click();
  expect(await ada.getByRole("button", { name: "Make a backup" }).count()).toBe(0);
  await ada.context().close();

  const { page: again } = await openPage(browser, addressOf(relays[1]));
  await again.getByRole("button", { name: "Restore from a backup" }).click();
  await again.getByLabel("Backup file").setInputFiles(file);
  await again.getByLabel("Recovery key").fill(key.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10)));
  await again.getByRole("button", { name: "Restore from a backup" }).click();
  await again.getByText("are wrong: 10").waitFor();
  await expectAccessible(again);
  await again.getByLabel("Backup file").setInputFiles(file);
  await again.getByLabel("Recovery key").fill(key);
  await again.getByRole("button", { name: "Restore from a backup" }).click();
  await again.getByRole("heading", { name: "Ada", level: 1 }).waitFor();
  await openChat(again, "Friends");
  await entryOf(again, "Before").waitFor();
  expect(await again.getByRole("alert").count()).toBe(0);
  await say(again, "I am back");
  await entryOf(ben, "I am back").waitFor();
});

test("a page asks the browser to keep what it stores, also when room or time grows short", async () => {
  const ask = async () => {
    const asked = globalThis as { timesAsked?: number };
    StorageManager.prototype.persist = async () => {
      asked.timesAsked = (asked.timesAsked ?? 0) + 1;
      // As browsers answer of whom they know too little.
      return false;
    };
  };
  const { page } = await openPage(browser, addressOf(relays[0]), (page) => page.addInitScript(ask));
  await chooseName(page, "Ada");
  await createGroup(page, "Notes");
  expect(await page.evaluate("timesAsked")).toBe(1);
});

test("a page whose clock is two days wrong talks with the others", async () => {
  const { page: ben } = await signUp(browser, relays[1], "Ben");
  await createGroup(ben, "Friends");
  const twoDaysMillis = 2 * 86_400_000;
  const { page: ada } = await openPage(browser, addressOf(relays[0]), (page) =>
    page.addInitScript((shift) => {
      const now = Date.now.bind(Date);
      Date.now = () => now() - shift;
    }, twoDaysMillis),
  );
  await chooseName(ada, "Ada");
  await join(ada, await invite(ben));
  await openChat(ada, "Friends");
  await say(ada, "What day is it?");
  await entryOf(ben, "What day is it?").waitFor();
  await say(ben, "A later one");
  await entryOf(ada, "A later one").waitFor();
});

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

test("a full disk loses neither what a person writes nor what others send", async () => {
  const { ada, ben } = await openFriends(browser, relays);
  await say(ada, "There is room");
  await entryOf(ben, "There is room").waitFor();
  const { origin } = new URL(ada.url());
  const browserSide = await ada.context().newCDPSession(ada);
  await browserSide.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
  await ada.evaluate(untilDiskIsFull);
  await say(ben, "Sent to a full disk");
  // She has done nothing herself.
  await ada.getByRole("alert").filter({ hasText: "no space left" }).waitFor();
  await say(ada, "No room for this");
  await ada.getByRole("alert").filter({ hasText: "no space left" }).waitFor();
  await entryOf(ben, "Sent to a full disk")
    .getByText(/· Sent$/)
    .waitFor();
  await browserSide.send("Storage.overrideQuotaForOrigin", { origin });
  await ada.getByRole("button", { name: "Send" }).click();
  await entryOf(ben, "No room for this").waitFor();
  await entryOf(ada, "Sent to a full disk").waitFor();
});
