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
  openFriends,
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

  await entryOf(ben, "Hello Ben").getByRole("button", { name: "React or reply" }).click();
  await ben.getByRole("button", { name: "Reply", exact: true }).click();
  await say(ben, "Hello Ada");
  await entryOf(ada, "Hello Ada").getByText("Hello Ben").waitFor();
  // What was done closes the menu, and so does a click beside it. One person may react more than once.
  for (const emoji of ["👍", "❤️"]) {
    await entryOf(ben, "Hello Ben").getByRole("button", { name: "React or reply" }).click();
    await entryOf(ben, "Hello Ben").getByRole("button", { name: emoji }).first().click();
    await ada.getByRole("button", { name: `${emoji} 1: Ben` }).waitFor();
    await ben.getByRole("button", { name: "Reply", exact: true }).waitFor({ state: "detached" });
  }
  await entryOf(ben, "Hello Ben").getByRole("button", { name: "React or reply" }).click();
  await ben.getByLabel("Message", { exact: true }).click();
  await ben.getByRole("button", { name: "Reply", exact: true }).waitFor({ state: "detached" });
  await say(ben, "Tell @Ada that");
  await entryOf(ada, "Tell").locator("b", { hasText: "@Ada" }).waitFor();

  await entryOf(ben, "Hello Ada").getByRole("button", { name: "React or reply" }).click();
  await ben.getByRole("button", { name: "Edit", exact: true }).click();
  await say(ben, "Good morning Ada");
  await ada.getByText("edited").waitFor();

  const picture = await ben.screenshot();
  await ben.locator("input[type=file]").setInputFiles({ name: "view.png", mimeType: "image/png", buffer: picture });
  await ada.getByRole("button", { name: "Load picture view.png" }).click();
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
  await ben.getByText("You are no longer in this group.").waitFor();
});

test("people see who comes, open links and pictures, delete for themselves, remove only whom they may, find their place again, and pin, mute and archive chats", async () => {
  const { ada, ben } = await openFriends(browser, relays);
  await entryOf(ada, "Ben joined").waitFor();
  await ben.getByRole("button", { name: "Details" }).click();
  await ben.getByRole("button", { name: "Verify Ada" }).waitFor();
  expect(await ben.getByRole("button", { name: /^Remove/ }).count()).toBe(0);
  expect(await ben.getByText("@", { exact: false }).filter({ visible: true }).count()).toBe(0);
  await ben.getByRole("dialog").getByText("Devices").first().click();
  await ben.getByText(`@${relays[0].domain}`).waitFor();
  await ben.getByRole("button", { name: "Close" }).click();
  await ada.getByRole("button", { name: "Details" }).click();
  await ada.getByRole("button", { name: "Remove Ben" }).waitFor();
  await ada.getByRole("button", { name: "Close" }).click();

  await say(ada, "(Read https://example.org/Mercury_(planet), or ask: https://example.org/ask?b=1#c).");
  const links = ben.getByRole("link");
  await links.nth(1).waitFor();
  const addresses = ["https://example.org/Mercury_(planet)", "https://example.org/ask?b=1#c"];
  expect(await links.allInnerTexts()).toEqual(addresses);
  expect(await links.evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href))).toEqual(addresses);
  const picture = await ada.screenshot();
  const isBlob = (asked: { url(): string }) => asked.url().includes("/blobs/");
  const loaded: string[] = [];
  ben.on("request", (asked) => isBlob(asked) && loaded.push(asked.url()));
  await ada.locator("input[type=file]").setInputFiles({ name: "view.png", mimeType: "image/png", buffer: picture });
  await ada.getByRole("button", { name: "Enlarge view.png" }).waitFor();
  // Ben loads nothing of somebody who is no contact of his, unless he asks for it.
  const load = ben.getByRole("button", { name: /^Load picture view\.png \([\d.]+ kB\)$/ });
  await load.waitFor();
  expect(loaded).toEqual([]);
  await load.click();
  await ben.getByRole("button", { name: "Enlarge view.png" }).waitFor();
  expect(loaded).not.toEqual([]);
  await ben.getByRole("button", { name: "Details" }).click();
  await ben.getByRole("button", { name: "Verify Ada" }).click();
  await ben.getByRole("button", { name: "The numbers match" }).click();
  await ben.getByRole("button", { name: "Remove verification" }).waitFor();
  await ben.getByRole("button", { name: "Close" }).click();
  await ada.locator("input[type=file]").setInputFiles({ name: "known.png", mimeType: "image/png", buffer: picture });
  await ben.getByRole("button", { name: "Enlarge known.png" }).waitFor();
  await ben.getByRole("button", { name: "Enlarge view.png" }).click();
  const saved = ben.waitForEvent("download");
  await ben.getByRole("dialog").getByRole("button", { name: "Download view.png" }).click();
  expect((await saved).suggestedFilename()).toBe("view.png");
  await expectAccessible(ben);
  await ben.getByRole("button", { name: "Close" }).click();
  await entryOf(ben, "example.org").getByRole("button", { name: "React or reply" }).click();
  await ben.getByRole("button", { name: "Report" }).click();
  await ben.getByLabel("What is wrong with this message?").fill("It offers something.");
  await expectAccessible(ben);
  const report = ben.waitForResponse((answer) => answer.url().includes("/spam/report"));
  await ben.getByRole("button", { name: "Send report" }).click();
  expect((await report).ok()).toBe(true);
  await ben.getByRole("dialog").waitFor({ state: "detached" });
  await entryOf(ben, "example.org").getByRole("button", { name: "React or reply" }).click();
  await ben.getByRole("button", { name: "Delete for me" }).click();
  await entryOf(ben, "example.org").waitFor({ state: "detached" });
  await entryOf(ada, "example.org").waitFor();

  await createGroup(ben, "Notes");
  const chats = ben.getByRole("navigation").getByRole("listitem");
  await chats.first().getByText("Notes").waitFor();
  await ben.getByRole("textbox", { name: "Message", exact: true }).and(ben.locator(":focus")).waitFor();
  await say(ada, "Are you there?");
  await chats.first().getByText("Friends").waitFor();
  await ben.waitForFunction(() => document.title === "(1) Messenger");
  // The same chat again in the list loses nothing of what is being written.
  await ben.getByLabel("Message", { exact: true }).fill("being written");
  await openChat(ben, "Notes");
  expect(await ben.getByLabel("Message", { exact: true }).inputValue()).toBe("being written");
  await ben.getByLabel("Message", { exact: true }).fill("W".repeat(3_000));
  await ben.keyboard.press("Enter");
  await entryOf(ben, "WWW").waitFor();
  expect(await ben.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await openChat(ben, "Friends");
  const unread = ben.getByRole("main").getByText("New messages", { exact: true });
  await unread.waitFor();
  const before = await entryOf(ben, "Are you there?").evaluate((entry) => entry.previousElementSibling?.textContent);
  expect(before).toBe("New messages");
  await ben.waitForFunction(() => document.title === "Messenger");
  await say(ben, "Yes");
  await unread.waitFor({ state: "detached" });

  const set = async (chat: string, name: string) => {
    await openChat(ben, chat);
    await ben.getByRole("button", { name: "Details" }).click();
    await ben.getByRole("button", { name, exact: true }).click();
    await ben.getByRole("button", { name, exact: true, pressed: true }).waitFor();
    await ben.getByRole("button", { name: "Close" }).click();
  };
  await set("Friends", "Muted");
  await set("Notes", "Pinned");
  await chats.first().getByText("Pinned").waitFor();
  await say(ada, "Psst");
  await chats.nth(1).getByText("1 unread message").waitFor();
  expect(await chats.first().innerText()).toContain("Notes");
  expect(await ben.title()).toBe("Messenger");
  await set("Friends", "Archived");
  await ben.getByRole("button", { name: "Archived chats: 1" }).waitFor();
  expect(await chats.count()).toBe(1);
  await ben.getByRole("button", { name: "Archived chats: 1" }).click();
  await chats.nth(1).getByText("Muted").waitFor();
  await expectAccessible(ben);

  await openChat(ben, "Notes");
  await ben.reload();
  await ben.getByRole("heading", { name: "Notes", level: 2 }).waitFor();
  await ben.goBack();
  await ben.getByText("Choose a chat").waitFor();
});

test("a person writes to somebody of a group directly, blocks them, and shows them again", async () => {
  const { ada, ben } = await openFriends(browser, relays);
  ben.on("dialog", (dialog) => void dialog.accept());
  await ben.getByRole("button", { name: "Details" }).click();
  await ben.getByRole("button", { name: "Message Ada" }).click();
  await ben.getByRole("heading", { name: "Ada", level: 2 }).waitFor();
  await say(ben, "Only for you");
  await openChat(ada, "Ben");
  await ada.getByRole("button", { name: "Accept" }).click();
  await entryOf(ada, "Only for you").waitFor();
  await say(ada, "Thank you");
  await entryOf(ben, "Thank you").waitFor();

  await ben.getByRole("button", { name: "Details" }).click();
  await ben.getByRole("button", { name: "Block Ada" }).click();
  await ben.getByRole("button", { name: "Unblock Ada" }).waitFor();
  await expectAccessible(ben);
  await ben.getByRole("button", { name: "Close" }).click();
  await entryOf(ben, "Thank you").waitFor({ state: "detached" });
  await say(ada, "Not for Ben");
  await say(ben, "It is quiet here");
  await entryOf(ada, "It is quiet here").waitFor();
  expect(await entryOf(ben, "Not for Ben").count()).toBe(0);
  await ben.getByRole("button", { name: "Account" }).click();
  await ben.getByRole("button", { name: "Unblock Ada" }).click();
  await ben.getByText("Blocked people").waitFor({ state: "detached" });
  await ben.getByRole("button", { name: "Close" }).click();
  await entryOf(ben, "Not for Ben").waitFor();
});

test("a person changes their name and picture, describes a group, and gives somebody a name of their own", async () => {
  const { ada, ben } = await openFriends(browser, relays);
  const picture = { name: "me.png", mimeType: "image/png", buffer: await ada.screenshot() };
  await ada.getByRole("button", { name: "Account" }).click();
  await ada.getByLabel("Your name").fill("Ada Lovelace");
  await ada.getByRole("button", { name: "Rename" }).click();
  await ada.getByRole("heading", { name: "Ada Lovelace", level: 1 }).waitFor();
  await ada.getByLabel("Your picture").setInputFiles(picture);
  await ada.getByRole("button", { name: "Remove picture" }).waitFor();
  await expectAccessible(ada);
  await ada.getByRole("button", { name: "Close" }).click();
  await entryOf(ben, "Ada is now called Ada Lovelace").waitFor();
  await ada.getByRole("button", { name: "Details" }).click();
  await ada.getByLabel("Description").fill("We meet on Fridays.");
  await ada.getByRole("button", { name: "Save description" }).click();
  await ada.getByText("We meet on Fridays.").waitFor();
  await ada.getByRole("button", { name: "Close" }).click();

  await entryOf(ben, "changed the group").waitFor();
  await ben.getByRole("button", { name: "Details" }).click();
  await ben.getByRole("dialog").getByText("We meet on Fridays.").waitFor();
  expect(await ben.getByRole("dialog").locator("img").count()).toBe(0);
  await ben.getByRole("button", { name: "Show picture" }).click();
  await ben.getByRole("dialog").locator("img.avatar").waitFor();
  ben.on("dialog", (dialog) => void dialog.accept("Countess"));
  await ben.getByRole("button", { name: "Your own name for Ada Lovelace" }).click();
  await ben.getByText("(goes by Ada Lovelace)").waitFor();
  await expectAccessible(ben);
  await ben.getByRole("button", { name: "Close" }).click();
  await ben.getByText("Countess, you").waitFor();

  await ada.getByRole("button", { name: "Details" }).click();
  expect(await ada.getByLabel("Group name").inputValue()).toBe("Friends");
  expect(await ada.getByLabel("Description").inputValue()).toBe("We meet on Fridays.");
  await ada.getByLabel("Description").fill("");
  await ada.getByRole("button", { name: "Save description" }).click();
  await ada.getByText("We meet on Fridays.").waitFor({ state: "detached" });
  await ada.getByRole("button", { name: "Close" }).click();
  await ada.getByRole("button", { name: "Account" }).click();
  expect(await ada.getByLabel("Your name").inputValue()).toBe("Ada Lovelace");
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
  await invited.getByText("You are invited to this server").waitFor();
  expect(invited.url()).toBe(addressOf(relay));
  await chooseName(invited, "Ada");
  await invited.getByRole("heading", { name: "Ada", level: 1 }).waitFor();
  await invited.reload();
  await invited.getByRole("heading", { name: "Ada", level: 1 }).waitFor();

  const stranger = (await openPage(browser, addressOf(relay))).page;
  await chooseName(stranger, "Ben");
  await stranger.getByRole("heading", { name: "You need an invite" }).waitFor();
  await expectAccessible(stranger);
  const code = stranger.getByLabel("Invite code or link");
  await code.fill(`${handle.slice(0, -1)}${handle.endsWith("A") ? "B" : "A"}`);
  await stranger.getByRole("button", { name: "Start", exact: true }).click();
  await stranger.getByRole("alert").getByText("This invite is not valid").waitFor();
  await code.fill(`https://${relay.domain}/#invite=${handle}`);
  await stranger.getByRole("button", { name: "Start", exact: true }).click();
  await stranger.getByRole("heading", { name: "Ben", level: 1 }).waitFor();
});

test("what is being written stays in its chat, through other chats, edits, input methods and reloads", async () => {
  const { page } = await signUp(browser, relays[0], "Ada");
  await createGroup(page, "Ideas");
  await createGroup(page, "Notes");
  const field = page.getByLabel("Message", { exact: true });
  await say(page, "Café in İstanbul".normalize("NFD"));
  const entry = entryOf(page, "stanbul");
  await entry.getByRole("button", { name: "React or reply" }).click();
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  await field.fill("half a sent");
  // An input method is still choosing the characters.
  await field.evaluate((element) => {
    const options = { key: "Enter", keyCode: 229, bubbles: true, cancelable: true };
    element.dispatchEvent(new KeyboardEvent("keydown", options));
  });
  await openChat(page, "Ideas");
  await page.getByRole("heading", { name: "Ideas", level: 2 }).waitFor();
  expect(await field.inputValue()).toBe("");
  await field.fill("an idea");
  await openChat(page, "Notes");
  await page.reload();
  await openChat(page, "Notes");
  expect(await field.inputValue()).toBe("half a sent");
  await page.getByText("Reply to Ada").waitFor();
  await entry.getByRole("button", { name: "React or reply" }).click();
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByText("Edit your message").waitFor();
  await field.fill("Restaurant in İstanbul");
  await page.keyboard.press("Escape");
  await page.getByText("Reply to Ada").waitFor();
  expect(await field.inputValue()).toBe("half a sent");
  await page.keyboard.press("Escape");
  expect(await field.inputValue()).toBe("half a sent");
  await page.keyboard.press("Enter");
  await entryOf(page, "half a sent").waitFor();
  await openChat(page, "Ideas");
  await page.getByRole("heading", { name: "Ideas", level: 2 }).waitFor();
  expect(await field.inputValue()).toBe("an idea");

  // However it is written, it is found.
  for (const query of ["café", "CAFE", "istanbul", "İSTANBUL", "ıstanbul", "Café".normalize("NFD")]) {
    await page.getByRole("searchbox").fill(query);
    await page.getByText("1 message found").waitFor();
  }
  await page.getByRole("searchbox").fill("");

  // Longer texts than others take are refused while they are written.
  await page.getByRole("button", { name: "New group" }).click();
  await page.getByLabel("Group name").fill("名".repeat(590));
  await page.getByText("Too long: 590 of at most 200 characters").waitFor();
  expect(await page.getByRole("button", { name: "Create" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Close" }).click();
  await field.fill("t".repeat(20_001));
  await page.getByText("Too long: 20001 of at most 20000 characters").waitFor();
  await page.keyboard.press("Enter");
  expect(await field.inputValue()).toHaveLength(20_001);
});

test("files are dropped and pasted, and one that misses the chat opens nothing", async () => {
  const { page } = await signUp(browser, relays[0], "Ada");
  await createGroup(page, "Notes");
  const give = (type: "drop" | "paste" | "dragover", selector: string, names: string[]) =>
    page.locator(selector).evaluate(
      (element, { type, names }) => {
        const files = new DataTransfer();
        for (const name of names) files.items.add(new File(["content"], name, { type: "text/plain" }));
        const options = { bubbles: true, cancelable: true };
        const event =
          type === "paste"
            ? new ClipboardEvent(type, { ...options, clipboardData: files })
            : new DragEvent(type, { ...options, dataTransfer: files });
        return element.dispatchEvent(event);
      },
      { type, names },
    );
  await give("drop", ".messages", ["one.txt", "two.txt"]);
  await give("paste", "textarea", ["three.txt"]);
  for (const name of ["one.txt", "two.txt", "three.txt"])
    await page.getByRole("button", { name: `Download ${name}` }).waitFor();
  for (const type of ["dragover", "drop"] as const) expect(await give(type, ".chats", ["four.txt"])).toBe(false);
});

test("an invitation is used once the messenger works, and when it is opened in the messenger's tab", async () => {
  const { page: ada } = await signUp(browser, relays[0], "Ada");
  await createGroup(ada, "Friends");
  const first = await invite(ada);
  await createGroup(ada, "Family");
  const second = await invite(ada);
  const { page: cem } = await openPage(browser, first, (page) =>
    page.route("**/.well-known/**", (route) => route.fulfill({ status: 404, body: "{}" })),
  );
  await chooseName(cem, "Cem");
  await cem.getByRole("button", { name: "Try again" }).waitFor();
  await cem.unroute("**/.well-known/**");
  await cem.getByRole("button", { name: "Try again" }).click();
  await cem.getByText("You have an invitation").waitFor();
  await chooseName(cem, "Cem");
  await cem.getByRole("heading", { name: "Friends", level: 2 }).waitFor();
  await cem.evaluate((link) => location.assign(link), second);
  await cem.getByRole("heading", { name: "Family", level: 2 }).waitFor();
  expect(new URL(cem.url()).hash).toBe("");
  await cem.reload();
  await openChat(cem, "Friends");
  await say(cem, "Hello from Cem");
  await openChat(ada, "Friends");
  await entryOf(ada, "Hello from Cem").waitFor();
});
