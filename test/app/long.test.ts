import type { Page } from "playwright-core";
import { expect } from "vitest";
import { openPerson } from "../groups/people.js";
import { until } from "../support/until.js";
import { join, openChat, prepareAppTests, signUp } from "./people.js";

const texts = 150;
/** Most messages in the page. */
const maxInPage = 120;

const { test, browser, relays } = await prepareAppTests();

async function isInView(page: Page, text: string): Promise<boolean> {
  expect(await page.locator(".entry").count()).toBeLessThanOrEqual(maxInPage);
  const found = page.getByRole("main").getByText(text, { exact: true });
  if ((await found.count()) === 0) return false;
  return found.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
}

test("of a long conversation, the page has only what is near; keys and the search reach all of it", async () => {
  const ada = await openPerson(relays[0], "Ada");
  const group = await ada.create({ name: "Long" });
  const { page: ben } = await signUp(browser, relays[0], "Ben");
  await join(ben, (await group.invite({ appUrl: "https://app.example/" })).link);
  await openChat(ben, "Long");
  const numbers = Array.from({ length: texts }, (_, at) => at + 1);
  await Promise.all(numbers.map((number) => group.send({ text: `Text ${number}.` })));
  await until(() => isInView(ben, `Text ${texts}.`), "the newest message is in view");

  const list = ben.getByRole("list", { name: "Messages" });
  const press = async (key: string, text: string) => {
    await list.press(key);
    return isInView(ben, text);
  };
  await until(() => press("Home", "Text 1."), "the first message is in view");
  await group.send({ text: "While you read." });
  await until(() => press("End", "While you read."), "the last message is in view");

  await ben.getByLabel("Search messages").fill("Text 23.");
  await openChat(ben, "Text 23.");
  await until(() => isInView(ben, "Text 23."), "what was searched for is in view");
  await ben.getByRole("button", { name: "Newest messages" }).click();
  await until(() => isInView(ben, "While you read."), "the newest message is in view again");
});
