import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { RunOnly } from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect, type RunnerTask } from "vitest";
import { encodeHex } from "../../src/protocol/encodings.js";
import type { AdminKeys } from "../support/admin.js";
import { browserPatienceMillis } from "../support/browser.js";
import { build } from "../support/build.js";

const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Builds the page as `npm run build` does. A relay reads it when it is first asked for. */
export async function buildConsole(): Promise<void> {
  await build("console");
}

/** A visitor of the console with storage of its own, and what went wrong on its pages. */
export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** Uncaught errors, and what the Content-Security-Policy kept from happening. */
  mishaps: string[];
}

export async function visit(browser: Browser, url: string): Promise<Visitor> {
  const context = await browser.newContext({ bypassCSP: false });
  context.setDefaultTimeout(browserPatienceMillis);
  const page = await context.newPage();
  const mishaps: string[] = [];
  page.on("pageerror", (error) => mishaps.push(error.message));
  page.on("console", (message) => {
    if (/Content.Security.Policy/i.test(message.text())) mishaps.push(message.text());
  });
  await page.goto(`${url}/console/`);
  return { page, context, mishaps };
}

/** Writes what the page showed if the test failed: a time-out alone tells only what it did not show. */
export async function showPageOf(task: RunnerTask, visitor: Visitor | undefined): Promise<void> {
  if (task.result?.state !== "fail" || visitor === undefined) return;
  const { page } = visitor;
  console.log(`${task.name}: ${page.url()} showed:\n${await page.locator("body").innerText()}`);
}

export async function signInByPasting(page: Page, { secretKey }: Pick<AdminKeys, "secretKey">): Promise<void> {
  await page.getByLabel("Or paste the private key").fill(encodeHex(secretKey));
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
}

export async function open(page: Page, view: string): Promise<void> {
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: view }).click();
  await page.getByRole("heading", { name: view, level: 1 }).waitFor();
}

/** Fills in the open dialog, field by label, and submits it. */
export async function answerDialog(
  page: Page,
  submit: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  const dialog = page.getByRole("dialog");
  for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label).fill(value);
  await dialog.getByRole("button", { name: submit, exact: true }).click();
}

export async function expectText(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor();
}

const wcagAa: RunOnly = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
/** The rules of level AA that look at colours. */
const colourRules: RunOnly = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/**
 * Fails where the page breaks WCAG 2.2 at level AA, as far as a program can tell. `onlyColours` is enough for a page that was
 * checked in other colours before.
 */
export async function expectAccessible(page: Page, { onlyColours = false } = {}): Promise<void> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(await readAxe());
  const violations = await page.evaluate(
    async (runOnly) => {
      const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
      const found = (await axe.run(document, { runOnly })).violations;
      return found.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
      );
    },
    onlyColours ? colourRules : wcagAa,
  );
  expect(violations).toEqual([]);
}

let axeSource: string | undefined;

async function readAxe(): Promise<string> {
  axeSource ??= await readFile(axePath, "utf8");
  return axeSource;
}
