import { expect } from "vitest";
import { expectAccessible } from "../console/harness.js";
import { createGroup, entryOf, invite, join, openChat, prepareAppTests, say, signUp } from "./people.js";

const { test, browser, relays } = await prepareAppTests();

test("one tab at a time has the account, and the other one can take it over", async () => {
  const { page, context } = await signUp(browser, relays[0], "Ada");
  await createGroup(page, "Notes");
  const second = await context.newPage();
  await second.goto(page.url());
  await second.getByRole("button", { name: "Use it here" }).click();
  await second.getByRole("navigation").getByRole("button", { name: "Notes" }).waitFor();
  await page.getByRole("button", { name: "Use it here" }).waitFor();
});

test("people see who types, what was delivered, and compare their safety numbers", async () => {
  const { page: ada } = await signUp(browser, relays[0], "Ada");
  const { page: ben } = await signUp(browser, relays[1], "Ben");
  await createGroup(ada, "Friends");
  await join(ben, await invite(ada));
  await ben.getByRole("navigation").getByRole("button", { name: "Friends" }).waitFor();
  await say(ada, "Hello Ben");
  await entryOf(ada, "Delivered").waitFor();
  await ada.reload();
  await openChat(ada, "Friends");
  await entryOf(ada, "Delivered").waitFor();
  await openChat(ben, "Friends");
  await entryOf(ada, "Read").waitFor();

  await ben.getByLabel("Message", { exact: true }).pressSequentially("Hel");
  await ada.getByText("Ben is typing").waitFor();
  await say(ben, "Hello Ada");
  await ada.getByText("Ben is typing").waitFor({ state: "detached" });

  const digits: (string | null)[] = [];
  for (const [page, other] of [
    [ada, "Ben"],
    [ben, "Ada"],
  ] as const) {
    await page.getByRole("button", { name: "Details" }).click();
    await page.getByRole("button", { name: `Verify ${other}` }).click();
    digits.push(await page.locator(".digits").textContent());
    await page.getByRole("button", { name: "It is the same" }).click();
    await page.getByText("✓ verified").waitFor();
    await expectAccessible(page);
  }
  expect(digits[0]).toMatch(/^(\d{5} ?){12}$/);
  expect(digits[1]).toBe(digits[0]);
});
