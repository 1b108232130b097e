import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { browserPatienceMillis } from "../support/browser.js";

export interface Person {
  page: Page;
  context: BrowserContext;
}

/** Opens a page in a new profile. It must not break its Content-Security-Policy, nor throw. */
export async function openPage(
  browser: Browser,
  url: string,
  prepare?: (page: Page) => Promise<unknown>,
): Promise<Person> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  context.setDefaultTimeout(browserPatienceMillis);
  const page = await context.newPage();
  const mishaps: string[] = [];
  page.on("pageerror", (error) => mishaps.push(error.message));
  page.on("console", (message) => {
    if (/Content.Security.Policy/i.test(message.text())) mishaps.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
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

export async function createGroup(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "New group" }).click();
  await page.getByLabel("Name of the group").fill(name);
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
