import type { Page } from "playwright-core";
import { expect } from "vitest";
import phrases from "../../src/app/phrases.json" with { type: "json" };
import { expectAccessible } from "../console/harness.js";
import { addressOf, openPage, prepareAppTests } from "./people.js";

const { test, browser, relays } = await prepareAppTests();

const { en, de } = phrases;
type Name = keyof typeof de;

const german = (name: Name, values: Readonly<Record<string, string>> = {}): string =>
  Object.entries(values).reduce((text, [place, value]) => text.replace(`{${place}}`, value), de[name]);

/** What a page without German would show: every English phrase that is another one in German. */
const onlyEnglish = new Set(
  (Object.keys(en) as Name[]).filter((name) => en[name] !== de[name]).map((name) => en[name]),
);

/** Each text and each name for screen readers, except for what says that it is in English. */
function textsIn(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const texts: string[] = [];
    for (const element of document.querySelectorAll("body *")) {
      if (element.closest("[lang=en], script, noscript") !== null) continue;
      for (const name of ["aria-label", "title", "placeholder", "alt"]) texts.push(element.getAttribute(name) ?? "");
      for (const { nodeType, textContent } of element.childNodes) if (nodeType === 3) texts.push(textContent ?? "");
    }
    return texts.map((text) => text.trim());
  });
}

/** Fails if a view in one of the schemes is hard to use for somebody, or has English words. */
async function look(page: Page): Promise<void> {
  expect((await textsIn(page)).filter((text) => onlyEnglish.has(text))).toEqual([]);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page, { onlyColours: colorScheme === "dark" });
  }
}

const openGerman = (at: 0 | 1 | string, prepare?: (page: Page) => Promise<unknown>) =>
  openPage(browser, typeof at === "string" ? at : addressOf(relays[at]), prepare, { locale: "de-DE" });
const button = (page: Page, name: Name, values?: Readonly<Record<string, string>>) =>
  page.getByRole("button", { name: german(name, values), exact: true });
const field = (page: Page, name: Name) => page.getByRole("textbox", { name: german(name), exact: true });

async function begin(page: Page, name: string): Promise<void> {
  await field(page, "yourName").fill(name);
  await button(page, "start").click();
  await page.getByRole("heading", { name, level: 1 }).waitFor();
}

async function createGroup(page: Page, name: string): Promise<void> {
  await button(page, "newGroup").click();
  await field(page, "groupName").fill(name);
  await button(page, "create").click();
  await page.getByRole("heading", { name, level: 2 }).waitFor();
}

async function invite(page: Page): Promise<string> {
  await button(page, "details").click();
  await button(page, "invite").click();
  return field(page, "invitationLink").inputValue();
}

async function say(page: Page, text: string): Promise<void> {
  await field(page, "message").fill(text);
  await button(page, "send").click();
}

test("views of a beginner are accessible in both colour schemes, and in German", async () => {
  const { page, context } = await openGerman(0);
  await field(page, "yourName").waitFor();
  await look(page);
  await begin(page, "Ada");
  await look(page);
  await button(page, "joinByLink").click();
  await look(page);
  await field(page, "invitationLink").fill("https://relay.example/");
  await button(page, "join").click();
  await page.getByRole("alert").waitFor();
  await look(page);
  await button(page, "newGroup").click();
  await look(page);
  await button(page, "close").click();
  await createGroup(page, "Notizen");
  await look(page);
  await context.setOffline(true);
  await page.getByText(german("offline")).waitFor();
  await say(page, "Später");
  await look(page);
  await context.setOffline(false);

  const second = await context.newPage();
  await second.goto(page.url());
  await button(second, "useHere").waitFor();
  await look(second);
});

test("so are those of somebody whose browser stores nothing, and of a relay that does not answer", async () => {
  const { page } = await openGerman(0, (page) =>
    page.addInitScript(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException("storage is refused", "SecurityError");
      };
    }),
  );
  await field(page, "yourName").fill("Ada");
  await button(page, "start").click();
  await button(page, "withoutStorage").waitFor();
  await look(page);

  const { page: other } = await openGerman(0);
  await field(other, "yourName").fill("Ben");
  await other.route("**/.well-known/**", (route) => route.fulfill({ status: 404, body: "{}" }));
  await button(other, "start").click();
  await button(other, "retry").waitFor();
  await look(other);
});

test("so are those of people who talk", async () => {
  const { page: ada } = await openGerman(0);
  await begin(ada, "Ada");
  await createGroup(ada, "Freunde");
  const link = await invite(ada);
  await look(ada);
  await button(ada, "close").click();

  // Nobody lets Ben in while Ada is away.
  const app = ada.url();
  await ada.goto("about:blank");
  const { page: ben } = await openGerman(link.replace(addressOf(relays[0]), addressOf(relays[1])));
  await field(ben, "yourName").waitFor();
  await look(ben);
  await begin(ben, "Ben");
  await ben.getByText(german("waiting", { name: "Freunde" })).waitFor();
  await look(ben);
  await ada.goto(app);
  await ada.getByRole("navigation").getByRole("button", { name: "Freunde" }).click();
  await ben.getByRole("navigation").getByRole("button", { name: "Freunde" }).click();

  await say(ada, "Hallo Ben");
  await ben.getByText("Hallo Ben").last().waitFor();
  await say(ben, "Hallo Ada");
  await ben.locator("input[type=file]").setInputFiles({
    ...{ name: "notes.txt", mimeType: "text/plain" },
    buffer: Buffer.from("A note"),
  });
  await button(ada, "download", { name: "notes.txt" }).waitFor();
  await button(ben, "actions").nth(1).click();
  await button(ben, "edit").waitFor();
  await look(ben);
  await button(ben, "edit").click();
  await look(ben);
  await say(ben, "Guten Tag, Ada");
  await button(ben, "actions").nth(1).click();
  await button(ben, "takeBack").click();
  await ada.getByText(german("takenBack")).last().waitFor();
  await button(ada, "actions").first().click();
  await button(ada, "reply").click();
  await look(ada);
  await ada.getByRole("searchbox").fill("hallo");
  await ada.getByText(/Nachricht(en)? gefunden/).waitFor();
  await look(ada);
  await ada.setViewportSize({ width: 390, height: 740 });
  await look(ada);
  await button(ada, "back").click();
  await look(ada);
  await ada.getByRole("searchbox").fill("");
  await ada.getByRole("navigation").getByRole("button", { name: "Freunde" }).click();

  await button(ada, "details").click();
  await button(ada, "compareWith", { name: "Ben" }).click();
  await look(ada);
  ada.on("dialog", (dialog) => void dialog.accept());
  await button(ada, "remove", { name: "Ben" }).click();
  await ben.getByText(german("notMember")).waitFor();
  await look(ben);
});

test("so are those of an account, of a device to link, and of a person whom a link leads to", async () => {
  const { page: ada } = await openGerman(0);
  await begin(ada, "Ada");
  await button(ada, "account").click();
  await look(ada);
  await button(ada, "status").click();
  await ada.getByText(german("statusNothing")).waitFor();
  await ada.getByRole("heading", { name: german("storage") }).waitFor();
  await look(ada);
  await button(ada, "close").click();
  await button(ada, "account").click();
  await button(ada, "recoveryKeyCreate").click();
  await ada.locator(".digits").waitFor();
  await look(ada);
  await button(ada, "contactLink").click();
  const contact = await field(ada, "contactLink").inputValue();
  await look(ada);
  const { page: phone } = await openGerman(0);
  await button(phone, "restore").click();
  await field(phone, "recoveryKey").fill("12345");
  await phone.locator("input[type=file]").setInputFiles({
    ...{ name: "2026.mls-backup", mimeType: "application/octet-stream" },
    buffer: Buffer.from("A note"),
  });
  await button(phone, "restore").click();
  await phone.getByRole("alert").waitFor();
  await look(phone);
  await button(phone, "linkThis").click();
  const qr = await field(phone, "linkQr").inputValue();
  await look(phone);
  await field(ada, "linkPaste").fill("unsinn");
  await button(ada, "link").click();
  await ada.getByRole("dialog").getByRole("alert").waitFor();
  await look(ada);
  await field(ada, "linkPaste").fill(qr);
  await button(ada, "link").click();
  await ada.locator(".code").waitFor();
  await look(ada);
  await button(phone, "linkSame").waitFor();
  await look(phone);
  const { page: ben } = await openGerman(contact);
  await begin(ben, "Ben");
  await button(ben, "contactBegin", { name: "Ada" }).waitFor();
  await look(ben);
});

test("every phrase is there in both languages, another one except for words that both have", () => {
  expect(Object.keys(de)).toEqual(Object.keys(en));
  const placesOf = (text: string) => text.match(/\{\w+\}/g)?.sort();
  for (const name of Object.keys(en) as Name[]) expect(placesOf(de[name]), name).toEqual(placesOf(en[name]));
  const names = (Object.keys(en) as Name[]).filter((name) => en[name] === de[name]);
  expect(names).toEqual(["app", "chats", "details", "online"]);
});
