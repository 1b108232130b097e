import type { Page } from "playwright-core";
import { addressOf, entryOf, openPage, prepareAppTests } from "./people.js";

const { test, browser, relays } = await prepareAppTests();

/** More presses than a page of these tests has places to go to. */
const maxPresses = 60;

/** Presses Tab until the focus is where a person wants it. */
async function tabTo(page: Page, role: "button" | "textbox", name: string | RegExp): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true }).first();
  await wanted.waitFor();
  for (let press = 0; press < maxPresses; press++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to ${name}`);
}

async function press(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, "button", name);
  await page.keyboard.press("Enter");
}

async function write(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, "textbox", name);
  await page.keyboard.insertText(text);
  await page.keyboard.press("Enter");
}

test("people without a mouse sign up, make a group, invite, join, write, react, answer and leave", async () => {
  const { page: ada } = await openPage(browser, addressOf(relays[0]));
  await write(ada, "Your name", "Ada");
  await press(ada, "New group");
  await write(ada, "Group name", "Friends");
  await press(ada, "Details");
  await press(ada, "Invite people");
  const link = await ada.getByRole("textbox", { name: "Invitation link" }).inputValue();
  await ada.keyboard.press("Escape");

  const { page: ben } = await openPage(browser, addressOf(relays[1]));
  await write(ben, "Your name", "Ben");
  await press(ben, "Join by link");
  await write(ben, "Invitation link", link);
  await press(ben, /Friends/);
  await write(ben, "Message", "Hello Ada");

  await entryOf(ada, "Hello Ada").waitFor();
  await press(ada, "React or reply");
  await press(ada, "👍");
  await ben.getByRole("button", { name: "👍 1" }).waitFor();
  await press(ada, "React or reply");
  await press(ada, "Reply");
  // The focus comes to the place where the answer is written.
  await ada.getByRole("textbox", { name: "Message", exact: true }).and(ada.locator(":focus")).waitFor();
  await ada.keyboard.insertText("Hello Ben");
  await ada.keyboard.press("Enter");
  await entryOf(ben, "Hello Ben").getByText("Hello Ada").waitFor();

  await press(ada, "Account");
  await press(ada, "Status of this device");
  const status = ada.getByRole("dialog", { name: "Status of this device" });
  await status.getByText("Nothing is waiting.").waitFor();
  await status
    .getByText(/^Messages: .* left\.|^Adding people: .* left\./)
    .first()
    .waitFor();
  await press(ada, "Ask the browser to keep my data");
  await status.getByText(/^The browser (keeps your data|has not agreed yet)/).waitFor();
  await ada.keyboard.press("Escape");
  await status.waitFor({ state: "detached" });

  ben.on("dialog", (dialog) => void dialog.accept());
  await press(ben, "Details");
  await press(ben, "Leave group");
  await ben.getByText("You are no longer in this group.").waitFor();
});
