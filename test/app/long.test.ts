import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPerson, roomy } from "../groups/people.js";
import { launchBrowser } from "../support/browser.js";
import { build } from "../support/build.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { until } from "../support/until.js";
import { chooseName, join, openPage } from "./people.js";

const texts = 150;
/** Most messages in the page. */
const maxInPage = 120;

const browser: Browser | undefined = await launchBrowser();

let fixture: PeerFixture;
let relay: PeerRelay;
beforeAll(async () => {
  await build("app");
  fixture = await createPeerFixture();
  relay = await fixture.relay({ ...roomy, app: "on" });
});
afterAll(async () => {
  await browser?.close();
  await fixture?.stop();
});

async function isInView(page: Page, text: string): Promise<boolean> {
  expect(await page.locator(".entry").count()).toBeLessThanOrEqual(maxInPage);
  const found = page.getByRole("main").getByText(text, { exact: true });
  if ((await found.count()) === 0) return false;
  return found.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
}

test.skipIf(browser === undefined)(
  "of a long conversation, the page has only what is near; keys and the search reach all of it",
  async () => {
    const ada = await openPerson(relay, "Ada");
    const group = await ada.create({ name: "Long" });
    const { page: ben } = await openPage(browser as Browser, `https://${relay.domain}/app/`);
    await chooseName(ben, "Ben");
    await join(ben, (await group.invite({ appUrl: "https://app.example/" })).link);
    await ben.getByRole("navigation").getByRole("button", { name: "Long" }).click();
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
    await ben.getByRole("navigation").getByRole("button", { name: "Text 23." }).click();
    await until(() => isInView(ben, "Text 23."), "what was searched for is in view");
    await ben.getByRole("button", { name: "Newest messages" }).click();
    await until(() => isInView(ben, "While you read."), "the newest message is in view again");
  },
);
