// Messages far ahead of what this device has read of their sender: those between were lost. Each secret in between has to be derived, and anyone in the group can write such
// a message in any member's name, also one that does not open. So what was derived once is kept for a while, and no message has it derived again meanwhile. It opens messages
// that were lost, so nothing is kept once a message has moved the ratchet on, nor longer than an hour.
//
// Few devices ever load this, so it imports nothing that the package has elsewhere: a bundler would cut that out into a file for both.

import type { ClientState } from "ts-mls";

type SecretTree = ClientState["secretTree"];
/** Derives a ratchet's next secret from the one of this generation. */
type Next = (secret: Uint8Array, generation: number) => Uint8Array;

/** Generations that a message may skip. */
const maxSkipped = 10_000;
/** Of each ratchet, one secret in a hundred is kept. The MLS library derives the generations between two of them and keeps their keys, for messages that come late. */
const stride = 100;
/** Ratchets of which secrets are kept. */
const maxRatchets = 256;
const keptMillis = 3_600_000;

interface Derived {
  /** The ratchet's secret when it was left, and each hundredth one after it. */
  secrets: Uint8Array[];
  ending: ReturnType<typeof setTimeout>;
}

/** By the ratchet's secret when it was left. */
const derived = new Map<string, Derived>();

interface Skipped {
  /** The sender's ratchet is moved on until the library can open the message. */
  secretTree: SecretTree;
  /** The message was opened: what was derived for it is not needed any more. */
  forget(): void;
}

/** Undefined if the message is not as far ahead, or farther. */
export function skipTowards(
  secretTree: SecretTree,
  { leafIndex, generation: wanted }: { leafIndex: number; generation: number },
  next: Next,
): Skipped | undefined {
  const at = 2 * leafIndex;
  const node = secretTree[at];
  if (node === undefined) return undefined;
  const { secret: from, generation } = node.application;
  const strides = Math.floor((wanted - generation) / stride) - 1;
  if (strides < 1 || wanted - generation > maxSkipped) return undefined;
  const name = from.join();
  const secret = secretAfter({ name, from, generation, strides }, next);
  const application = { ...node.application, secret, generation: generation + strides * stride };
  const moved = secretTree.map((one, index) => (index === at ? { ...node, application } : one));
  return { secretTree: moved, forget: () => drop(name) };
}

function secretAfter(
  { name, from, generation, strides }: { name: string; from: Uint8Array; generation: number; strides: number },
  next: Next,
): Uint8Array {
  const known = derived.get(name) ?? { secrets: [from], ending: endingOf(name) };
  // The one that was used last is the last to go.
  derived.delete(name);
  derived.set(name, known);
  const [oldest] = derived.size > maxRatchets ? derived.keys() : [];
  if (oldest !== undefined) drop(oldest);
  const { secrets } = known;
  while (secrets.length <= strides) {
    const first = generation + (secrets.length - 1) * stride;
    let secret = secrets.at(-1) as Uint8Array;
    for (let step = 0; step < stride; step += 1) secret = next(secret, first + step);
    secrets.push(secret);
  }
  return secrets[strides] as Uint8Array;
}

/** Not since it was used last: messages that do not open could keep it for ever. */
function endingOf(name: string): Derived["ending"] {
  const ending: Derived["ending"] & { unref?(): void } = setTimeout(() => drop(name), keptMillis);
  // A program may end meanwhile.
  ending.unref?.();
  return ending;
}

function drop(name: string): void {
  clearTimeout(derived.get(name)?.ending);
  derived.delete(name);
}
