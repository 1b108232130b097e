import { type Browser, chromium } from "playwright-core";
import { programs } from "./programs.js";

/**
 * Ends what hangs, with a message that says at what. No test depends on it: a browser on a busy machine takes its time, so this
 * is only less than the time after which the test itself is given up (vitest.config.ts).
 */
export const browserPatienceMillis = 170_000;

/** A Chromium, or `undefined` where there is none. */
export async function launchBrowser(): Promise<Browser | undefined> {
  const executablePath = programs.chromium.find();
  if (executablePath === undefined) return undefined;
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    timeout: browserPatienceMillis,
  });
}
