// Messages far ahead of what this device has read of their sender: those between were lost. Each secret in between has to be derived, and anyone in the group can write such
// a message in any member's name, also one that does not open. So what was derived once is kept, and no message has it derived again.
//
// Few devices ever load this, so it imports nothing that the package has elsewhere: a bundler would cut that out into a file for both.

import type { ClientState } from "ts-mls";

type SecretTree = ClientState["secretTree"];
/** Derives a ratchet's next secret from the one of this generation. */
type Next = (secret: Uint8Array, generation: number) => Uint8Array;

/** A message may be so many generations ahead. */
const maxSkipped = 10_000;
/** Of each ratchet, one secret is kept of so many generations. The MLS library derives as many and keeps their keys, for messages that come late. */
const stride = 100;
/** Ratchets of which secrets are kept. */
const maxRatchets = 256;

/** By the ratchet's secret when it was left: that and each hundredth one after it. */
const derived = new Map<string, Uint8Array[]>();

/** The secret tree with the sender's ratchet moved on until the library can open the message. Undefined if the message is not as far ahead, or farther. */
export function skipTowards(
  secretTree: SecretTree,
  { leafIndex, generation: wanted }: { leafIndex: number; generation: number },
  next: Next,
): SecretTree | undefined {
  const at = 2 * leafIndex;
  const node = secretTree[at];
  if (node === undefined) return undefined;
  const { secret: from, generation } = node.application;
  const strides = Math.floor((wanted - generation) / stride) - 1;
  if (strides < 1 || wanted - generation > maxSkipped) return undefined;
  const secret = secretAfter({ from, generation, strides }, next);
  const application = { ...node.application, secret, generation: generation + strides * stride };
  return secretTree.map((one, index) => (index === at ? { ...node, application } : one));
}

function secretAfter(
  { from, generation, strides }: { from: Uint8Array; generation: number; strides: number },
  next: Next,
): Uint8Array {
  const name = from.join();
  const known = derived.get(name) ?? [from];
  // The one that was used last is the last to go.
  derived.delete(name);
  derived.set(name, known);
  const [oldest] = derived.size > maxRatchets ? derived.keys() : [];
  if (oldest !== undefined) derived.delete(oldest);
  while (known.length <= strides) {
    const first = generation + (known.length - 1) * stride;
    let secret = known.at(-1) as Uint8Array;
    for (let step = 0; step < stride; step += 1) secret = next(secret, first + step);
    known.push(secret);
  }
  return known[strides] as Uint8Array;
}
