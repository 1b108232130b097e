import { expect } from "vitest";
import { presets } from "../../src/settings/service.js";
import { expectAccessible } from "../console/harness.js";
import { adminKeys, logIn } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand } from "../support/device.js";
import {
  addressOf,
  chooseName,
  createGroup,
  entryOf,
  invite,
  join,
  openChat,
  openPage,
  prepareAppTests,
  say,
  signUp,
} from "./people.js";

/** Of 1 MiB, as a relay with files in a folder asks for them. */
const threePartsBytes = 3 * 1024 * 1024;

const { test, browser, relays, fixture } = await prepareAppTests();

test("two people of two relays meet in a group, write, answer, react, change, send files, and part", async () => {
  const { page: ada } = await signUp(browser, relays[0], "Ada");
  const { page: ben } = await signUp(browser, relays[1], "Ben");
  await createGroup(ada, "Friends");
  await join(ben, await invite(ada));
  await openChat(ben, "Friends");

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
});

test("an invitation opens the messenger, and a new person joins by it", async () => {
  const { page: ada } = await signUp(browser, relays[0], "Ada");
  await createGroup(ada, "Friends");
  const link = await invite(ada);
  const cem = (await openPage(browser, link)).page;
  await cem.getByText("You have an invitation").waitFor();
  await chooseName(cem, "Cem");
  await openChat(cem, "Friends");
  await say(cem, "Hello from Cem");
  await entryOf(ada, "Hello from Cem").waitFor();
});

test("people see how much of a file is sent", async () => {
  const { page } = await signUp(browser, relays[0], "Ada");
  await createGroup(page, "Notes");
  let letThrough = () => {};
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  let parts = 0;
  await page.route("**/parts/*", async (route) => {
    if (route.request().method() === "PUT" && ++parts > 1) await held;
    await route.fallback();
  });
  const file = { name: "film.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(threePartsBytes) };
  await page.locator("input[type=file]").setInputFiles(file);
  await page.getByText(/^Sending film\.bin: [1-9]\d %$/).waitFor();
  letThrough();
  await page.getByRole("button", { name: "Download film.bin" }).waitFor();
  await page.getByText("Sending film.bin").waitFor({ state: "detached" });
});

test("on a relay for invited people, the link of an invite opens the messenger, and a code can be typed", async () => {
  const administrator = adminKeys("verify_devices");
  const settings = Object.entries(presets["community"]?.settings["registration"] ?? {});
  const seeds = settings.map(([key, value]) => [`SEED_REGISTRATION_${key.toUpperCase()}`, String(value)]);
  const relay = await fixture().relay({
    app: "on",
    adminList: administrator.seed,
    seeds: Object.fromEntries(seeds) as Record<string, string>,
  });
  const { token } = await logIn(relay, administrator);
  const { invite_handle: handle = "" } = demand(
    await call(relay, "createInvite", { token, body: { max_uses: 2 } }),
  ).body;

  const invited = (await openPage(browser, `https://${relay.domain}/#invite=${handle}`)).page;
  await invited.getByText("You are invited to this relay").waitFor();
  expect(invited.url()).toBe(addressOf(relay));
  await chooseName(invited, "Ada");
  await invited.getByRole("heading", { name: "Ada", level: 1 }).waitFor();
  await invited.reload();
  await invited.getByRole("heading", { name: "Ada", level: 1 }).waitFor();

  const stranger = (await openPage(browser, addressOf(relay))).page;
  await chooseName(stranger, "Ben");
  await stranger.getByRole("heading", { name: "You need an invite" }).waitFor();
  await expectAccessible(stranger);
  const code = stranger.getByLabel("Code or link of the invite");
  await code.fill(`${handle.slice(0, -1)}${handle.endsWith("A") ? "B" : "A"}`);
  await stranger.getByRole("button", { name: "Start", exact: true }).click();
  await stranger.getByRole("alert").getByText("This invite is not valid").waitFor();
  await code.fill(`https://${relay.domain}/#invite=${handle}`);
  await stranger.getByRole("button", { name: "Start", exact: true }).click();
  await stranger.getByRole("heading", { name: "Ben", level: 1 }).waitFor();
});
