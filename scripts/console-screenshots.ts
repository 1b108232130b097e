import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { loadConfig } from "../src/platform/config/config.js";
import { createLogger } from "../src/platform/logger.js";
import { encodeHex } from "../src/protocol/encodings.js";
import { publicKeyOf } from "../src/protocol/signature.js";
import { createRelay } from "../src/relay.js";
import { connectAdmin } from "../src/sdk/admin.js";
import { connectDevice, type DeviceClient } from "../src/sdk/client.js";
import { deviceKeysOf, newSecretKey } from "../src/sdk/keys.js";
import { signCiphertext } from "../src/sdk/messages.js";

// Starts a relay of its own, gives it something to show, and takes a picture of each view of the console:
//
//   npm run build:console && tsx scripts/console-screenshots.ts [folder; docs/images/console without it]

const project = fileURLToPath(new URL("..", import.meta.url));
const views = ["Overview", "Devices", "Spam reports", "Federation", "Invites", "Configuration", "Audit log"];
const domain = "relay.example";
const deviceCount = 8;
const messagesEach = 8;
/** All devices come from one network address. */
const room = { firstAnnouncementsPerIpHour: 1_000, firstAnnouncementsPerIpDay: 1_000 };
const desktop = { width: 1280, height: 800 };
const phone = { width: 360, height: 740 };

async function registerDevices(url: string): Promise<DeviceClient[]> {
  const devices: DeviceClient[] = [];
  for (let i = 0; i < deviceCount; i++) {
    const device = await connectDevice({ url, domain, keys: deviceKeysOf(newSecretKey()) });
    await device.register();
    devices.push(device);
  }
  return devices;
}

/** Messages among the devices, which wait in the queue. */
async function exchangeMessages(devices: readonly DeviceClient[]): Promise<void> {
  const signingKey = newSecretKey();
  for (const [index, device] of devices.entries()) {
    const to = devices[(index + 1) % devices.length]?.session()?.addresses[0] ?? "";
    for (let i = 0; i < messagesEach; i++) {
      const ciphertext = new Uint8Array(randomBytes(400));
      await device.send({ to, ciphertext, signature: signCiphertext(signingKey, ciphertext) });
    }
  }
}

async function administer(url: string, secretKey: Uint8Array, [first, second]: DeviceClient[]): Promise<void> {
  const admin = await connectAdmin({ url, domain, keys: deviceKeysOf(secretKey) });
  await admin.login();
  const reason = "runs the group";
  await admin.call("verifyDevice", { body: { device_id: first?.deviceId ?? "", reason } });
  const limit = { device_id: second?.deviceId ?? "", custom_rate_limit: 300, reason: "a busy bot" };
  await admin.call("setRateLimit", { body: limit });
  for (const name of ["spam.example", "noisy.example"]) {
    const body = { server_domain: name, reason: "waves of spam", reason_category: "spam", severity: "high" } as const;
    await admin.call("blockServer", { body });
  }
  await admin.call("createInvite", { body: { max_uses: 5 } });
  await admin.call("updateConfig", { body: { storage: { message_queue_limit: 2000 } } });
}

async function takePictures(browser: Browser, at: { url: string; secretKey: Uint8Array; folder: string }) {
  const page = await browser.newPage({ viewport: desktop });
  await page.goto(`${at.url}/`);
  await page.getByText("This relay is up.").waitFor();
  await page.screenshot({ path: path.join(at.folder, "status.png") });
  await page.goto(`${at.url}/console/`);
  await page.getByText(domain).first().waitFor();
  await page.screenshot({ path: path.join(at.folder, "sign-in.png") });
  await page.getByLabel("Or paste the private key").fill(encodeHex(at.secretKey));
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  for (const view of views) await takePicture(page, view, at.folder);
  await page.getByLabel("Colours").selectOption("dark");
  await page.getByRole("link", { name: "Overview" }).click();
  await settle(page);
  await page.screenshot({ path: path.join(at.folder, "overview-dark.png") });
  await page.setViewportSize(phone);
  await page.screenshot({ path: path.join(at.folder, "overview-phone.png") });
}

async function takePicture(page: Page, view: string, folder: string): Promise<void> {
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: view }).click();
  await page.getByRole("heading", { name: view, level: 1 }).waitFor();
  await settle(page);
  if (view === "Devices") {
    await page.getByLabel("Messages sent, at least").fill("0");
    await page.getByLabel("Messages sent, at least").blur();
    await page.getByRole("table").waitFor();
  }
  await page.screenshot({ path: path.join(folder, `${view.toLowerCase().replace(" ", "-")}.png`) });
}

async function settle(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector(".loading") === null);
}

async function main(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const dataDir = await mkdtemp(path.join(tmpdir(), "mls-relay-screenshots-"));
  const secretKey = newSecretKey();
  const config = loadConfig({
    DOMAIN: domain,
    BASE_URL: `https://${domain}`,
    HOST: "127.0.0.1",
    PORT: "0",
    DATA_DIR: dataDir,
    ADMIN_LIST: `${encodeHex(publicKeyOf(secretKey))}=all`,
    SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
  });
  const relay = createRelay({ ...config, ...room, port: 0 }, { logger: createLogger({ level: "error" }) });
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const { port } = await relay.start();
    const url = `http://127.0.0.1:${port}`;
    const devices = await registerDevices(url);
    await exchangeMessages(devices);
    await administer(url, secretKey, devices);
    await takePictures(browser, { url, secretKey, folder });
  } finally {
    await browser.close();
    await relay.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

await main(path.resolve(project, process.argv[2] ?? "docs/images/console"));
