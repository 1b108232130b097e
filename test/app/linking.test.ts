import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccessible } from "../console/harness.js";
import { roomy } from "../groups/people.js";
import { launchBrowser } from "../support/browser.js";
import { build } from "../support/build.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { chooseName, createGroup, entryOf, openPage, say } from "./people.js";

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

test.skipIf(browser === undefined)(
  "a second device gets the groups and messages of the first, which people search",
  async () => {
    const ada = (await openPage(browser as Browser, `https://${relay.domain}/app/`)).page;
    await chooseName(ada, "Ada");
    await createGroup(ada, "Friends");
    for (const text of ["An apple", "A banana", "A cherry"]) await say(ada, text);
    const phone = (await openPage(browser as Browser, ada.url())).page;
    await phone.getByRole("button", { name: "Link this device" }).click();
    const qr = await phone.getByRole("textbox", { name: "Code of this device" }).inputValue();
    await expectAccessible(phone);

    await ada.getByRole("button", { name: "Account" }).click();
    await ada.getByLabel("Code of the new device").fill("nonsense");
    await ada.getByRole("button", { name: "Link", exact: true }).click();
    await ada.getByRole("dialog").getByRole("alert").waitFor();
    await ada.getByLabel("Code of the new device").fill(qr);
    await ada.getByRole("button", { name: "Link", exact: true }).click();
    const code = await ada.locator(".code").textContent();
    await expectAccessible(ada);
    expect(await phone.locator(".code").textContent()).toBe(code);
    await phone.getByRole("button", { name: "Yes, it is the same" }).click();

    await phone.getByRole("heading", { name: "Ada", level: 1 }).waitFor();
    await phone.getByRole("navigation").getByRole("button", { name: "Friends" }).click();
    await entryOf(phone, "A banana").waitFor();
    expect(await phone.getByText("unread message").count()).toBe(0);
    await phone.getByLabel("Search messages").fill("BANANA");
    await phone.getByText("1 message found").waitFor();
    await phone.getByRole("navigation").getByRole("button", { name: "A banana" }).click();
    await phone.locator(".sought").getByText("A banana").waitFor();
    await expectAccessible(phone);
    await say(phone, "From my phone");
    await entryOf(ada, "From my phone").and(ada.locator(".mine")).waitFor();
  },
);

test.skipIf(browser === undefined)(
  "the link to a person opens the messenger, and begins a group with them",
  async () => {
    const ada = (await openPage(browser as Browser, `https://${relay.domain}/app/`)).page;
    await chooseName(ada, "Ada");
    await ada.getByRole("button", { name: "Account" }).click();
    await ada.getByRole("button", { name: "Link to me" }).click();
    const link = await ada.getByRole("textbox", { name: "Link to me" }).inputValue();
    await expectAccessible(ada);
    expect(new URL(link).pathname).not.toContain("/app/");
    const ben = (await openPage(browser as Browser, link)).page;
    await chooseName(ben, "Ben");
    await ben.getByRole("button", { name: "Write to Ada" }).click();
    await ben.getByRole("heading", { name: "Ben, Ada", level: 2 }).waitFor();
    await say(ben, "Hello Ada");
    await ada.getByRole("button", { name: "Close" }).click();
    await ada.getByRole("navigation").getByRole("button", { name: "Ben, Ada" }).click();
    await entryOf(ada, "Hello Ada").waitFor();
  },
);
