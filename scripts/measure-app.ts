// Measures the messenger in Chromium with a long conversation: `npm run lab -- app-speed 10000`.

import { type Browser, chromium, type Page } from "playwright-core";
import { memoryStore, openGroups, tsMls } from "../src/groups/index.js";
import { findFreePort } from "../src/platform/net/free-port.js";
import { createLifecycle } from "../src/process/lifecycle.js";
import { startOwnRelay } from "./demo/relays.js";

const count = Number(process.argv[2] ?? 10_000);
const groupName = "Long";
const starts = 5;
const patienceMillis = 600_000;
/** As when a person turns the wheel of a mouse fast, and does not stop. */
const scrolling = { pixels: 120_000, pixelsPerSecond: 6_000 };
const textOf = (number: number): string => `Text ${number}. ${"Words that fill a line or two. ".repeat(number % 5)}`;

interface Frames {
  perSecond: number;
  late: number;
  longestMillis: number;
  passed: number;
}

const lifecycle = createLifecycle();
try {
  const port = await findFreePort();
  const domain = `localhost:${port}`;
  const url = `http://${domain}`;
  const relay = await startOwnRelay({ PRESET: "development", PORT: String(port), DOMAIN: domain, BASE_URL: url });
  lifecycle.atEnd(() => relay.stop());
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  lifecycle.atEnd(() => browser.close());
  await measure(browser, url);
} finally {
  await lifecycle.end();
}

async function measure(browser: Browser, url: string): Promise<void> {
  const ada = await openGroups({ relay: url, store: memoryStore(), name: "Ada", mls: tsMls() });
  lifecycle.atEnd(() => ada.close());
  const group = await ada.create({ name: groupName });
  await Promise.all(Array.from({ length: count }, (_, at) => group.send({ text: textOf(at + 1) })));

  const page = await (await browser.newContext({ locale: "en", viewport: { width: 1000, height: 680 } })).newPage();
  page.setDefaultTimeout(patienceMillis);
  await page.goto(`${url}/app/`);
  await page.getByRole("button", { name: "Link this device" }).click();
  const qr = await page.getByRole("textbox", { name: "This device's code" }).inputValue();
  const linked = ada.linkDevice(qr, { compare: () => true });
  await page.getByRole("button", { name: "They are the same" }).click();
  await linked;
  const linkedAt = performance.now();
  await page.getByRole("navigation").getByText(`Text ${count}.`).waitFor();
  const seconds = (performance.now() - linkedAt) / 1000;
  console.log(`a linked device has ${count} messages after ${seconds.toFixed(1)} s`);

  const shown: { chats: number; messages: number }[] = [];
  for (let start = 0; start < starts; start++) shown.push(await startCold(page, url));
  const median = (name: "chats" | "messages") => shown.map((each) => each[name]).sort((a, b) => a - b)[starts >> 1];
  console.log(`from the script's arrival: chats after ${median("chats")} ms, messages after ${median("messages")} ms`);

  for (const direction of [1, -1]) {
    const { perSecond, late, longestMillis, passed } = await scroll(page, direction);
    console.log(
      `${direction > 0 ? "to older" : "to newer"} messages, past ${passed}: ${perSecond.toFixed(1)} frames/s, ` +
        `${late} more than 8 ms late, longest ${longestMillis.toFixed(0)} ms`,
    );
  }
}

/** Opens the page without what the browser has cached. Milliseconds until the list of chats, and the conversation, are drawn. */
async function startCold(page: Page, url: string): Promise<{ chats: number; messages: number }> {
  const browserSide = await page.context().newCDPSession(page);
  await browserSide.send("Network.clearBrowserCache");
  await page.goto("about:blank");
  await page.goto(`${url}/app/`, { waitUntil: "commit" });
  const chats = await drawnAt(page, "nav li button");
  await page.locator("nav li button").evaluate((chat: HTMLElement) => chat.click());
  const messages = await drawnAt(page, ".entry");
  const arrived = await page.evaluate(() => {
    const script = performance.getEntriesByType("resource").find(({ name }) => /index-.*\.js$/.test(name));
    return (script as PerformanceResourceTiming).responseEnd;
  });
  return { chats: Math.round(chats - arrived), messages: Math.round(messages - arrived) };
}

/** When the page's frame with this element ended, in the page's time. */
function drawnAt(page: Page, selector: string): Promise<number> {
  return page.evaluate(async (selector) => {
    for (;;) {
      const isThere = document.querySelector(selector) !== null;
      await new Promise(requestAnimationFrame);
      if (isThere) return performance.now();
    }
  }, selector);
}

/** Scrolls as a wheel does, to older messages for a positive direction. */
async function scroll(page: Page, direction: number): Promise<Frames> {
  const list = page.getByRole("list", { name: "Messages" });
  const first = () => list.locator(".entry p").first().textContent();
  const numberIn = (text: string | null) => Number(/\d+/.exec(text ?? "")?.[0]);
  const before = numberIn(await first());
  const frames = page.evaluate(
    async (millis) => {
      const times: number[] = [];
      do times.push(await new Promise<number>(requestAnimationFrame));
      while ((times.at(-1) ?? 0) - (times[0] ?? 0) < millis);
      return times;
    },
    (1000 * scrolling.pixels) / scrolling.pixelsPerSecond,
  );
  const { x, y, width, height } = (await list.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const browserSide = await page.context().newCDPSession(page);
  await browserSide.send("Input.synthesizeScrollGesture", {
    ...{ x: x + width / 2, y: y + height / 2, yDistance: direction * scrolling.pixels },
    ...{ speed: scrolling.pixelsPerSecond, gestureSourceType: "mouse", preventFling: true },
  });
  const times = await frames;
  const lengths = times.slice(1).map((time, at) => time - (times[at] ?? time));
  const total = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return {
    perSecond: (1000 * lengths.length) / total,
    late: lengths.filter((millis) => millis > 1000 / 60 + 8).length,
    longestMillis: Math.max(...lengths),
    passed: Math.abs(before - numberIn(await first())),
  };
}
