import { expect, test } from "vitest";
import { bundleForBrowser } from "./browser/bundling.js";
import { loadedAtOnce } from "./browser/loaded-at-once.js";

const client = `
  import { connectDevice } from "./src/client/device/client.js";
  import { deviceKeysOf } from "./src/client/crypto/keys.js";
  globalThis.start = (secret) => connectDevice({ url: "https://relay.example", keys: deviceKeysOf(secret) });`;
const link =
  'import { readInfoLink } from "./src/client/infopackages/compact-info-qr.js"; globalThis.readInfoLink = readInfoLink;';

test("the client for a browser has no server code in it, and nothing of Node's", async () => {
  const { code, inputs } = await bundleForBrowser({ source: client });
  const { bytes } = await loadedAtOnce(client, process.cwd());
  const own = inputs.filter((file) => !file.includes("node_modules/") && file !== "<stdin>");
  expect(own.filter((file) => !/^(src\/(client|protocol)|generated)\//.test(file))).toEqual([]);
  const packages = new Set(inputs.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []));
  expect([...packages].sort()).toEqual(["@noble/ed25519", "@noble/hashes"]);
  expect(code).not.toMatch(/(?:import|from)\s*\(?["']node:/);
  // Of it sending over the stream takes two kilobytes, wake-up pushes two, one inbox for all that receives two, and the shapes of answers and frames ten.
  expect(bytes).toBeLessThan(86_000);
});

test("who needs one thing gets little more than that", async () => {
  const { code, inputs } = await bundleForBrowser({ source: link });
  expect(code.length).toBeLessThan(5_000);
  expect(code).not.toContain("announce");
  expect(inputs.join()).not.toContain("noble");
});
