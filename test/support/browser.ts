import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { findHeadlessShell, programs } from "./programs.js";

/**
 * Ends an action that hangs, with a message that names it. No test depends on this time: a busy machine is slow, so it
 * is not much less than the time limit of a test (vitest.config.ts).
 */
export const browserPatienceMillis = 600_000;

/** Chromium runs no service worker of a page whose certificate it does not know, even if a test opens the page all the same. */
export const withServiceWorkers = "--ignore-certificate-errors";

/** A Chromium, or `undefined` if there is none. */
export function launchBrowser(...more: string[]): Promise<Browser | undefined> {
  return launch(programs.chromium.find(), more);
}

/**
 * Chromium without its user interface, if that is installed: a page then takes half the processor time. Otherwise all of Chromium,
 * which is needed in any case for what a page cannot do by itself, such as installing an application or receiving pushes.
 */
export function launchHeadlessShell(...more: string[]): Promise<Browser | undefined> {
  const whole = programs.chromium.find();
  return launch(whole === undefined ? undefined : (findHeadlessShell() ?? whole), more);
}

/**
 * Closes a context with its pages. A route handler that is still waiting for an answer is no failure then: Playwright would report its
 * error after the test had ended.
 */
export async function closeContext(context: BrowserContext): Promise<void> {
  // A test may have closed it.
  if (context.browser()?.contexts().includes(context) === false) return;
  const behavior = "ignoreErrors";
  await Promise.all([context, ...context.pages()].map((routed) => routed.unrouteAll({ behavior })));
  await context.close();
}

async function launch(executablePath: string | undefined, more: readonly string[]): Promise<Browser | undefined> {
  if (executablePath === undefined) return undefined;
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", ...more],
    timeout: browserPatienceMillis,
  });
}
