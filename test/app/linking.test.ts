import { expect } from "vitest";
import { expectAccessible } from "../console/harness.js";
import { chooseName, createGroup, entryOf, openChat, openPage, prepareAppTests, say, signUp } from "./people.js";

const { test, browser, relays } = await prepareAppTests();

test("a second device gets the groups and messages of the first, which people search", async () => {
  const { page: ada } = await signUp(browser, relays[0], "Ada");
  await createGroup(ada, "Friends");
  for (const text of ["An apple", "A banana", "A cherry"]) await say(ada, text);
  const phone = (await openPage(browser, ada.url())).page;
  await phone.getByRole("button", { name: "Link this device" }).click();
  const short = await phone.getByRole("textbox", { name: "This device's code" }).inputValue();
  expect(short).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
  await expectAccessible(phone);

  await ada.getByRole("button", { name: "Account" }).click();
  await ada.getByLabel("New device's code").fill("nonsense");
  await ada.getByRole("button", { name: "Link", exact: true }).click();
  await ada.getByRole("dialog").getByRole("alert").waitFor();
  await ada.getByLabel("New device's code").fill(short.toLowerCase());
  await ada.getByRole("button", { name: "Link", exact: true }).click();
  const code = await ada.locator(".code").textContent();
  await expectAccessible(ada);
  expect(await phone.locator(".code").textContent()).toBe(code);
  await expectAccessible(phone);
  await phone.getByRole("button", { name: "They are the same" }).click();
  await phone.getByText("Waiting for the other device").waitFor();
  await ada.getByRole("button", { name: "They are the same" }).click();
  await ada.getByText("The new device is linked.").waitFor();

  await phone.getByRole("heading", { name: "Ada", level: 1 }).waitFor();
  await openChat(phone, "Friends");
  await entryOf(phone, "A banana").waitFor();
  expect(await phone.getByText("unread message").count()).toBe(0);
  await phone.getByLabel("Search messages").fill("BANANA");
  await phone.getByText("1 message found").waitFor();
  await openChat(phone, "A banana");
  await phone.locator(".sought").getByText("A banana").waitFor();
  await expectAccessible(phone);
  await say(phone, "From my phone");
  await entryOf(ada, "From my phone").and(ada.locator(".mine")).waitFor();
});

test("the link to a person opens the messenger, and begins a direct chat with them", async () => {
  const { page: ada } = await signUp(browser, relays[0], "Ada");
  await ada.getByRole("button", { name: "Account" }).click();
  await ada.getByRole("button", { name: "Your contact link" }).click();
  const link = await ada.getByRole("textbox", { name: "Your contact link" }).inputValue();
  await expectAccessible(ada);
  expect(new URL(link).pathname).not.toContain("/app/");
  const ben = (await openPage(browser, link)).page;
  await chooseName(ben, "Ben");
  await ben.getByRole("button", { name: "Message Ada" }).click();
  await ben.getByRole("heading", { name: "Ada", level: 2 }).waitFor();
  await say(ben, "Hello Ada");
  await ada.getByRole("button", { name: "Close" }).click();
  await openChat(ada, "Ben");
  await entryOf(ada, "Hello Ada").waitFor();
});
