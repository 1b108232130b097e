import { type Browser, chromium } from "playwright-core";
import { programs } from "./programs.js";

/**
 * Ends an action that hangs, with a message that names it. No test depends on this time: a busy machine is slow, so it
 * is only slightly less than the test's time limit (vitest.config.ts).
 */
export const browserPatienceMillis = 290_000;

/** Chromium runs no service worker of a page whose certificate it does not know, even if a test opens the page all the same. */
export const withServiceWorkers = "--ignore-certificate-errors";

/** A Chromium, or `undefined` if there is none. */
export async function launchBrowser(...more: string[]): Promise<Browser | undefined> {
  const executablePath = programs.chromium.find();
  if (executablePath === undefined) return undefined;
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", ...more],
    timeout: browserPatienceMillis,
  });
}
