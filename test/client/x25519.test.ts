import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ed25519, x25519 as library } from "@noble/curves/ed25519.js";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { x25519, x25519KeyOf, x25519SecretOf } from "../../src/client/crypto/x25519.js";

test("keys, shared secrets and conversions are those of the whole library", () => {
  for (let round = 0; round < 100; round++) {
    const [ours, theirs] = [randomBytes(32), randomBytes(32)];
    const theirKey = library.getPublicKey(theirs);
    expect(x25519.getPublicKey(ours)).toEqual(library.getPublicKey(ours));
    expect(x25519.getSharedSecret(ours, theirKey)).toEqual(library.getSharedSecret(ours, theirKey));
    expect(x25519KeyOf(ed25519.getPublicKey(ours))).toEqual(ed25519.utils.toMontgomery(ed25519.getPublicKey(ours)));
    expect(x25519SecretOf(ours)).toEqual(ed25519.utils.toMontgomerySecret(ours));
  }
});

// Node.js waited for itself for ever, mostly before the ten thousandth key with so little memory for new objects.
test("keys of HPKE are made and exported whenever garbage is collected", async () => {
  const contents = `
    import { hpkeOf } from "./src/client/index.js";
    const { kem } = await hpkeOf(1);
    for (let made = 0; made < 15_000; made++) await kem.serializePrivateKey((await kem.generateKeyPair()).privateKey);
    console.log("made");`;
  const stdin = { contents, resolveDir: process.cwd() };
  const { outputFiles } = await build({ stdin, bundle: true, format: "esm", platform: "node", write: false });
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-keys-"));
  try {
    const file = join(folder, "keys.mjs");
    await writeFile(file, outputFiles[0]?.text ?? "");
    const run = promisify(execFile)(process.execPath, ["--max-semi-space-size=1", file], { timeout: 60_000 });
    expect((await run).stdout).toBe("made\n");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
