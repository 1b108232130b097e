// The attempts of an epoch that each user can take once. Anyone in the group can take the first ones, with anything; a member who fills those with void
// content has one more try. A slot of the later ones is named after the keys of all users who have taken none of them yet, and its relay says by which key
// it was taken. The keys are blinded by a secret of the epoch, so that the relay learns neither whose they are nor what epochs have in common.

import { sha256 } from "@noble/hashes/sha2.js";
import { blindedKeyOf, signBlinded } from "../../protocol/blinded-key.js";
import { concatBytes, decodeHex, encodeHex, equalBytes, utf8 } from "../../protocol/encodings.js";
import { publicKeyOf, verifyBytes } from "../../protocol/signature.js";
import { slotTakingText } from "../../protocol/signed-text.js";
import { nodeAbove } from "../../protocol/taking-key.js";
import type { Schemas } from "../connection/calls.js";
import type { Exporter } from "../crypto/envelope.js";
import type { TakingKey } from "./slot-names.js";
import type { SlotRelay } from "./slot-receipts.js";

/** Who can take an epoch's later attempts. All members must give the same users and keys, in the same order. */
export interface SlotTakers {
  /** The Ed25519 public keys of each user's devices in the present epoch. */
  users(): readonly (readonly Uint8Array[])[];
  /** The 32-byte secret key of this device. */
  secretKey: Uint8Array;
}

/** The later attempts of one epoch. */
export interface TakenInTurn {
  /** `before`: the users who have taken the attempts before it. */
  attempt(attempt: number, before: readonly number[]): TurnSlot | undefined;
}

/** One of these attempts. */
export interface TurnSlot {
  slot: string;
  /** Undefined if this device's user has had their attempt. */
  key: TakingKey | undefined;
  /** The user who has taken it; undefined if the answer does not prove it. */
  takenBy(taker: Schemas["Taker"] | undefined, content: Uint8Array): number | undefined;
}

/** Attempts that anybody with the epoch's secrets can take: in most epochs, no others are looked at. */
export const openAttempts = 2;

const label = "mls-relay slot takers";
const secretBytes = 32;
/** The trees of all groups have this height, so that paths do not say how many members there are. */
const height = 16;

export async function takenInTurn(
  { domain }: Pick<SlotRelay, "domain">,
  exporter: Exporter,
  takers: SlotTakers,
): Promise<TakenInTurn> {
  const secret = await exporter(label, utf8(domain), secretBytes);
  const users = takers.users().map((keys) => keys.flatMap((key) => blindedKeyOf(key, secret) ?? []));
  const own = blindedOwn(takers.secretKey, secret);
  return {
    attempt(attempt, before) {
      const left = users.map((keys, user) => (before.includes(user) ? [] : keys));
      const keys = left.flat();
      if (keys.length === 0 || keys.length > 2 ** height) return undefined;
      const at = keys.findIndex((key) => equalBytes(key, own));
      const { root, path } = treeOf(
        keys.map((key) => sha256(key)),
        at,
        concatBytes(secret, utf8(`${attempt}`)),
      );
      const slot = encodeHex(root);
      const textOf = (content: Uint8Array) => slotTakingText({ domain, slot, contentHash: encodeHex(sha256(content)) });
      const sign = (content: Uint8Array) => ({
        public_key: encodeHex(own),
        signature: encodeHex(signBlinded(takers.secretKey, secret, utf8(textOf(content)))),
        path: path.map(encodeHex),
      });
      return {
        slot,
        key: at < 0 ? undefined : { slot, sign },
        takenBy(taker, content) {
          const key = decodeHex(taker?.public_key ?? "");
          const user = left.findIndex((one) => key !== undefined && one.some((its) => equalBytes(its, key)));
          if (user < 0 || key === undefined || taker === undefined) return undefined;
          return verifyBytes(key, utf8(textOf(content)), taker.signature) ? user : undefined;
        },
      };
    },
  };
}

function blindedOwn(secretKey: Uint8Array, secret: Uint8Array): Uint8Array {
  return blindedKeyOf(publicKeyOf(secretKey), secret) as Uint8Array;
}

/** The root over these leaves, and the nodes beside the way to it from one of them. Where there is no node, one is made from the secret. */
function treeOf(
  leaves: readonly Uint8Array[],
  from: number,
  secret: Uint8Array,
): { root: Uint8Array; path: Uint8Array[] } {
  const path: Uint8Array[] = [];
  let [nodes, at] = [leaves, from];
  for (let level = 0; level < height; level++) {
    const filler = sha256(concatBytes(secret, utf8(` ${level}`)));
    if (at >= 0) path.push(nodes[at ^ 1] ?? filler);
    const below = nodes;
    nodes = below.flatMap((node, i) => (i % 2 === 0 ? [nodeAbove(node, below[i + 1] ?? filler)] : []));
    at = at < 0 ? at : at >> 1;
  }
  return { root: nodes[0] as Uint8Array, path };
}
