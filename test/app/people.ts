import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Config } from "../../src/composition/config.js";
import { roomy } from "../groups/people.js";
import { browserPatienceMillis, closeContext, launchHeadlessShell } from "../support/browser.js";
import { build } from "../support/build.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";

interface Person {
  page: Page;
  context: BrowserContext;
}

/** The tests of a file, in a browser and with two relays that serve the messenger. */
interface AppTests {
  /** A test that is skipped without a browser. */
  test: typeof test;
  browser: Browser;
  /** Both are there once the tests run. */
  relays: readonly [PeerRelay, PeerRelay];
  fixture(): PeerFixture;
}

export async function prepareAppTests(
  browserArgs: readonly string[] = [],
  config: () => Promise<Partial<Config>> = async () => ({}),
  launch = launchHeadlessShell,
): Promise<AppTests> {
  const browser = await launch(...browserArgs);
  const relays = [] as unknown as [PeerRelay, PeerRelay];
  let fixture: PeerFixture | undefined;
  beforeAll(async () => {
    await build("app");
    fixture = await createPeerFixture();
    const options = { ...roomy, ...(await config()), app: "on" } as const;
    for (let count = 0; count < 2; count++) relays.push(await fixture.relay(options));
  });
  afterAll(async () => {
    await browser?.close();
    await fixture?.stop();
  });
  return {
    test: test.skipIf(browser === undefined) as typeof test,
    browser: browser as Browser,
    relays,
    fixture: () => fixture as PeerFixture,
  };
}

export const addressOf = ({ domain }: Pick<PeerRelay, "domain">): string => `https://${domain}/app/`;

/** Opens a page in a new profile. It must not break its Content-Security-Policy, nor throw. */
export async function openPage(
  browser: Browser,
  url: string,
  prepare?: (page: Page) => Promise<unknown>,
  options: BrowserContextOptions = {},
): Promise<Person> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
  context.setDefaultTimeout(browserPatienceMillis);
  const page = await context.newPage();
  const mishaps: string[] = [];
  page.on("pageerror", (error) => mishaps.push(error.message));
  page.on("console", (message) => {
    if (/Content.Security.Policy/i.test(message.text())) mishaps.push(message.text());
  });
  onTestFinished(async () => {
    await closeContext(context);
    expect(mishaps).toEqual([]);
  });
  await prepare?.(page);
  await page.goto(url);
  return { page, context };
}

export async function chooseName(page: Page, name: string): Promise<void> {
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("button", { name: "Start" }).click();
}

/** Opens the messenger of a relay in a new profile, and begins. */
export async function signUp(browser: Browser, relay: Pick<PeerRelay, "domain">, name: string): Promise<Person> {
  const person = await openPage(browser, addressOf(relay));
  await chooseName(person.page, name);
  await person.page.getByRole("heading", { name, level: 1 }).waitFor();
  return person;
}

/** Ada and Ben, of two relays, in a group that both have open. */
export async function openFriends(
  browser: Browser,
  [adas, bens]: readonly [Pick<PeerRelay, "domain">, Pick<PeerRelay, "domain">],
): Promise<{ ada: Page; ben: Page }> {
  const { page: ada } = await signUp(browser, adas, "Ada");
  await createGroup(ada, "Friends");
  const { page: ben } = await signUp(browser, bens, "Ben");
  await join(ben, await invite(ada));
  await openChat(ben, "Friends");
  return { ada, ben };
}

export async function openChat(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("button", { name }).click();
}

export async function createGroup(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "New group" }).click();
  await page.getByLabel("Group name").fill(name);
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name, level: 2 }).waitFor();
}

export async function invite(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Details" }).click();
  await page.getByRole("button", { name: "Invite people" }).click();
  const link = await page.getByRole("textbox", { name: "Invitation link" }).inputValue();
  await page.getByRole("button", { name: "Close" }).click();
  return link;
}

export async function join(page: Page, link: string): Promise<void> {
  await page.getByRole("button", { name: "Join by link" }).click();
  await page.getByLabel("Invitation link").fill(link);
  await page.getByRole("button", { name: "Join", exact: true }).click();
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
}

export const entryOf = (page: Page, text: string) =>
  page.getByRole("main").getByRole("listitem").filter({ hasText: text }).first();
