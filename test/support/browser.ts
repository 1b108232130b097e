import { type Browser, chromium } from "playwright-core";
import { programs } from "./programs.js";

/**
 * Ends an action that hangs, with a message that names it. No test depends on this time: a busy machine is slow, so it
 * is only slightly less than the test's time limit (vitest.config.ts).
 */
export const browserPatienceMillis = 290_000;

/** A Chromium, or `undefined` if there is none. */
export async function launchBrowser(): Promise<Browser | undefined> {
  const executablePath = programs.chromium.find();
  if (executablePath === undefined) return undefined;
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    timeout: browserPatienceMillis,
  });
}
