// What runs in the browser: bundled by the test, and called by it through `window.trial`.

import { x25519 } from "@noble/curves/ed25519.js";
import { openEnvelope, sealEnvelope } from "../../../src/client/crypto/envelope.js";
import { deviceKeysOf, newSecretKey } from "../../../src/client/crypto/keys.js";
import {
  isSignedInEpoch,
  signCiphertext,
  signInEpoch,
  verifyCiphertext,
} from "../../../src/client/crypto/message-signatures.js";
import { connectDevice } from "../../../src/client/device/client.js";
import { openIdentity, sealInfoPackage } from "../../../src/client/infopackages/info-packages.js";
import { openLinkingPayload, sealLinkingPayload } from "../../../src/client/linking/linking-payload.js";
import { newLinkingKeys } from "../../../src/client/linking/linking-qr.js";
import type { SocketLike } from "../../../src/client/runtime/runtime.js";
import { openWelcome, sealWelcome } from "../../../src/client/sealing/sealed-welcomes.js";
import type { ReceivingOptions } from "../../../src/client/stream/receiving.js";
import { encodeHex } from "../../../src/protocol/encodings.js";

/** What a device in the browser did and saw. */
export interface Report {
  address: string;
  /** Turns of the page's own thread while the proof was computed. */
  turns: number;
  progress: number[];
  iterations: number;
  /** Texts that came, with whether their signatures were the sender's. */
  received: string[];
  signaturesHold: boolean;
  states: string[];
  structuresWork: boolean;
}

export interface Trial {
  url: string;
  domain: string;
  transport: NonNullable<ReceivingOptions["transport"]>;
}

const texts = ["from a page", "to itself"];
const lastText = "and once more";

async function trial({ url, domain, transport }: Trial): Promise<Report> {
  const device = await connectDevice({ url, domain, keys: deviceKeysOf(newSecretKey()) });
  const progress: number[] = [];
  const states: string[] = [];
  const received: string[] = [];
  let iterations = 0;
  let turns = 0;
  const ticking = setInterval(() => turns++, 5);
  const onProgress = (done: number, of: number) => {
    iterations = of;
    progress.push(done);
  };
  const session = await device.register({ admission: { by: "proof", onProgress } });
  clearInterval(ticking);

  const address = session.addresses[0] ?? "";
  const { secretKey, publicKey } = newLinkingKeys();
  const send = (text: string) => {
    const ciphertext = new TextEncoder().encode(text);
    return device.send({ to: address, ciphertext, signature: signCiphertext(secretKey, ciphertext) });
  };
  for (const text of texts) await send(text);
  let signaturesHold = true;
  await new Promise<void>((resolve, reject) => {
    const receiving = device.receive({
      transport,
      onStatus: ({ state }) => void states.push(state),
      onProblem: reject,
      async handle(message) {
        received.push(new TextDecoder().decode(message.ciphertext));
        signaturesHold &&= verifyCiphertext(publicKey, message);
        // The last one is sent while the stream is open.
        if (transport === "stream" && received.length === texts.length) await send(lastText);
        const expected = transport === "stream" ? texts.length + 1 : texts.length;
        if (received.length === expected) setTimeout(() => receiving.stop().then(resolve));
      },
    });
  });
  const left = (await device.poll()).messages.length;
  if (left > 0) throw new Error(`${left} messages were not acknowledged`);
  return {
    address,
    turns,
    progress,
    iterations,
    received,
    signaturesHold,
    states,
    structuresWork: structuresWork() && (await envelopesWork()),
  };
}

/** Whether the stream of a page comes back at the browser's event. The waits of this page never end without one. */
async function resumes(
  { url, domain }: Omit<Trial, "transport">,
  event: "online" | "visibilitychange",
): Promise<boolean> {
  const sockets: WebSocket[] = [];
  let isAway = false;
  const device = await connectDevice({
    url,
    domain,
    keys: deviceKeysOf(newSecretKey()),
    runtime: {
      sleep: (_, signal) => new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
      openSocket(address) {
        if (isAway) throw new Error("no route to the relay");
        sockets.push(new WebSocket(address));
        return sockets.at(-1) as SocketLike;
      },
    },
  });
  await device.register();
  const news = new EventTarget();
  const state = (expected: string) =>
    new Promise((resolve) => news.addEventListener(expected, resolve, { once: true }));
  const [streaming, reconnecting] = [state("streaming"), state("reconnecting")];
  const receiving = device.receive({ handle: () => {}, onStatus: ({ state }) => news.dispatchEvent(new Event(state)) });
  await streaming;
  isAway = true;
  sockets[0]?.close();
  await reconnecting;
  isAway = false;
  const again = state("streaming");
  (event === "online" ? globalThis : document).dispatchEvent(new Event(event));
  await again;
  await receiving.stop();
  return sockets.length === 2;
}

/** How many addresses a device gets that registers. */
async function registers({ url, domain }: Omit<Trial, "transport">): Promise<number> {
  const device = await connectDevice({ url, domain, keys: deviceKeysOf(newSecretKey()) });
  return (await device.register()).addresses.length;
}

function structuresWork(): boolean {
  const keys = newLinkingKeys();
  const to = { ephemeralPublicKey: keys.publicKey, provisioningAddress: "a@b" };
  const sealed = sealLinkingPayload(new Uint8Array(3), to);
  const opened = openLinkingPayload(sealed.ciphertext, { secretKey: keys.secretKey, provisioningAddress: "a@b" });
  const identity = {
    user_id: "u",
    user_public_key: "0".repeat(64),
    default_persona: "p",
    personas: {},
    devices: [],
    created_at: 1,
  };
  const packed = sealInfoPackage(identity);
  return opened.code === sealed.code && openIdentity(packed.ciphertext, packed.key).user_id === "u";
}

async function envelopesWork(): Promise<boolean> {
  const [sealKey, hintKey, signatureKey] = [newSecretKey(), newSecretKey(), newSecretKey()];
  const keys = { sealKey, hintKey, signatureKey };
  const envelope = sealEnvelope(keys, Uint8Array.of(1, 2, 3));
  const senderSignature = encodeHex(await signInEpoch(keys, envelope));
  const { secretKey: initPrivateKey, publicKey: initKey } = x25519.keygen();
  const welcome = await sealWelcome({ cipherSuite: 3, initKey }, Uint8Array.of(4, 5));
  const joined = await openWelcome([{ cipherSuite: 3, initPrivateKey }], welcome);
  return (
    openEnvelope(keys, envelope)?.join() === "1,2,3" &&
    isSignedInEpoch(keys, { ciphertext: envelope, senderSignature }) &&
    joined?.welcome.join() === "4,5"
  );
}

Object.assign(globalThis, { trial, resumes, registers });
