import type { Page } from "playwright-core";
import { expect } from "vitest";
import { hourSeconds } from "../../src/protocol/units.js";
import { expectAccessible } from "../console/harness.js";
import { roomy } from "../groups/people.js";
import { chooseName, entryOf, join, openChat, openPage, prepareAppTests, say, signUp } from "./people.js";

const { test, browser, relays, fixture } = await prepareAppTests([], async () => ({ newTierClaimsPerHour: 1 }));

async function contactLinkOf(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("button", { name: "Your contact link" }).click();
  const link = await page.getByRole("textbox", { name: "Your contact link" }).inputValue();
  await page.getByRole("button", { name: "Close" }).click();
  return link;
}

test("a person sees who cannot be added yet, and until when, also after a reload", async () => {
  const { page: ada } = await signUp(browser, relays[0], "Ada");
  const { page: cem } = await signUp(browser, relays[0], "Cem");
  const { page: ben } = await openPage(browser, await contactLinkOf(ada));
  await chooseName(ben, "Ben");
  await ben.getByRole("button", { name: "Message Ada" }).click();
  await ben.getByRole("heading", { name: "Ada", level: 2 }).waitFor();
  await join(ben, await contactLinkOf(cem));
  await ben.getByRole("button", { name: "Message Cem" }).click();
  const told = ben.getByText(/^Cem is not in “Ben, Cem” yet, because a server limits .* Next attempt: .*\d:\d\d/);
  await told.first().waitFor();
  await openChat(ben, "Ben, Cem");
  await ben.getByRole("main").getByRole("status").filter({ hasText: "Next attempt" }).waitFor();
  await expectAccessible(ben);
  await ben.reload();
  await told.first().waitFor();
  relays[0].clock.advance(hourSeconds);
  await ben.addInitScript((passed) => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + passed;
  }, 1000 * hourSeconds);
  await ben.reload();
  await ben.getByText("you, Cem", { exact: true }).waitFor();
  await told.first().waitFor({ state: "detached" });
  await say(ben, "Hello Cem");
  await openChat(cem, "Ben");
  await entryOf(cem, "Hello Cem").waitFor();
});

test("a person sees that the relay of somebody cannot be reached", async () => {
  const away = await fixture().relay({ ...roomy, app: "on" });
  const { page: dora } = await signUp(browser, away, "Dora");
  const { page: eve } = await signUp(browser, relays[1], "Eve");
  await join(eve, await contactLinkOf(dora));
  const begin = eve.getByRole("button", { name: "Message Dora" });
  await begin.waitFor();
  await dora.context().close();
  away.proxy.open = false;
  away.proxy.cut();
  await begin.click();
  await eve.getByText("Dora is not in “Eve, Dora” yet, because their server cannot be reached.").first().waitFor();
  expect(await eve.getByRole("alert").count()).toBe(0);
});
