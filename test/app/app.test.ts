import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { expectAccessible } from "../console/harness.js";
import { roomy } from "../groups/people.js";
import { launchBrowser } from "../support/browser.js";
import { build } from "../support/build.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { startRelay } from "../support/relay.js";
import { chooseName, createGroup, entryOf, invite, join, openPage, type Person, say } from "./people.js";

const maxFirstLoadBytes = 200_000;
const browser: Browser | undefined = await launchBrowser();

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

async function signUp({ domain }: PeerRelay, name: string): Promise<Person> {
  const person = await openPage(browser as Browser, `https://${domain}/app/`);
  await chooseName(person.page, name);
  await person.page.getByRole("heading", { name, level: 1 }).waitFor();
  return person;
}

test.skipIf(browser === undefined)(
  "two people of two relays meet in a group, write, answer, react, change, send files, and part",
  async () => {
    const ada = (await signUp(relays[0], "Ada")).page;
    const ben = (await signUp(relays[1], "Ben")).page;
    await createGroup(ada, "Friends");
    await join(ben, await invite(ada));
    await ben.getByRole("navigation").getByRole("button", { name: "Friends" }).click();

    await say(ada, "Hello Ben");
    await entryOf(ben, "Hello Ben").waitFor();
    await entryOf(ada, "Read").waitFor();

    await entryOf(ben, "Hello Ben").getByRole("button", { name: "React or answer" }).click();
    await ben.getByRole("button", { name: "Reply" }).click();
    await say(ben, "Hello Ada");
    await entryOf(ada, "Hello Ada").getByText("Hello Ben").waitFor();
    await entryOf(ben, "Hello Ben").getByRole("button", { name: "👍" }).first().click();
    await ada.getByRole("button", { name: "👍 1" }).waitFor();

    await entryOf(ben, "Hello Ada").getByRole("button", { name: "React or answer" }).click();
    await ben.getByRole("button", { name: "Edit" }).click();
    await say(ben, "Good morning Ada");
    await ada.getByText("edited").waitFor();

    const picture = await ben.screenshot();
    await ben.locator("input[type=file]").setInputFiles({ name: "view.png", mimeType: "image/png", buffer: picture });
    await ada.getByRole("img", { name: "view.png" }).waitFor();
    for (const page of [ada, ben]) await expectAccessible(page);

    await createGroup(ada, "Notes");
    await say(ben, "Are you there?");
    await ada.getByText("1 unread message").waitFor();
    await ada.reload();
    await ada.getByText("1 unread message").waitFor();

    ben.on("dialog", (dialog) => void dialog.accept());
    await ben.getByRole("button", { name: "Details" }).click();
    await ben.getByRole("button", { name: "Leave group" }).click();
    await ben.getByText("You are not in this group any more.").waitFor();
  },
);

test.skipIf(browser === undefined)(
  "one tab at a time has the account, and the other one can take it over",
  async () => {
    const { page, context } = await signUp(relays[0], "Ada");
    await createGroup(page, "Notes");
    const second = await context.newPage();
    await second.goto(page.url());
    await second.getByRole("button", { name: "Use it here" }).click();
    await second.getByRole("navigation").getByRole("button", { name: "Notes" }).waitFor();
    await page.getByRole("button", { name: "Use it here" }).waitFor();
  },
);

test.skipIf(browser === undefined)(
  "people see who types, what was delivered, and compare their safety numbers",
  async () => {
    const ada = (await signUp(relays[0], "Ada")).page;
    const ben = (await signUp(relays[1], "Ben")).page;
    await createGroup(ada, "Friends");
    await join(ben, await invite(ada));
    await ben.getByRole("navigation").getByRole("button", { name: "Friends" }).waitFor();
    await say(ada, "Hello Ben");
    await entryOf(ada, "Delivered").waitFor();
    await ada.reload();
    await ada.getByRole("navigation").getByRole("button", { name: "Friends" }).click();
    await entryOf(ada, "Delivered").waitFor();
    await ben.getByRole("navigation").getByRole("button", { name: "Friends" }).click();
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
  },
);

test.skipIf(browser === undefined)("an invitation opens the messenger, and a new person joins by it", async () => {
  const ada = (await signUp(relays[0], "Ada")).page;
  await createGroup(ada, "Friends");
  const link = await invite(ada);
  const cem = (await openPage(browser as Browser, link)).page;
  await cem.getByText("You have an invitation").waitFor();
  await chooseName(cem, "Cem");
  await cem.getByRole("navigation").getByRole("button", { name: "Friends" }).click();
  await say(cem, "Hello from Cem");
  await entryOf(ada, "Hello from Cem").waitFor();
});

test("the messenger is there only if the operator wants it, small, under a strict policy", async () => {
  const without = await startRelay();
  onTestFinished(() => without.stop());
  expect((await fetch(`${without.url}/app/`)).status).toBe(404);
  const [{ url }] = relays;
  const page = await fetch(`${url}/app/`);
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toMatch(/unsafe|\*/);
  const body = await page.text();
  const files = [...body.matchAll(/(?:href|src)="\.\/(assets\/[^"]+)"/g)].map(([, file = ""]) => file);
  expect(files.length).toBeGreaterThan(1);
  let bytes = gzipSync(body).length;
  for (const file of files)
    bytes += gzipSync(Buffer.from(await (await fetch(`${url}/app/${file}`)).arrayBuffer())).length;
  expect(bytes).toBeLessThan(maxFirstLoadBytes);
});
