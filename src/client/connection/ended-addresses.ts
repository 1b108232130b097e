import { type Prefix, parsePrefix } from "../../protocol/identifiers.js";
import { isAnswer } from "./failures.js";
import type { Session } from "./session.js";

/** The addresses that the device has ended, so that a renewal that was on its way does not bring one back. */
interface EndedAddresses {
  has(this: void, address: string): boolean;
  /** Remembers an address, or a prefix, as ended. */
  add(address: string): void;
  /** The device announces these again on purpose. */
  forget(addresses: readonly string[]): void;
  /** Ends what an announcement has revived, and returns the session without it. */
  leaveOut(announced: Session): Promise<Session>;
}

export function createEndedAddresses(end: (prefix: string, session: Session) => Promise<unknown>): EndedAddresses {
  const ended = new Set<Prefix>();
  const isEnded = (address: string) => ended.has(prefixOf(address));

  return {
    has: isEnded,
    add: (address) => void ended.add(prefixOf(address)),
    forget(addresses) {
      for (const address of addresses) ended.delete(prefixOf(address));
    },
    async leaveOut(announced) {
      for (const address of announced.addresses.filter(isEnded)) await end(prefixOf(address), announced);
      return { ...announced, addresses: announced.addresses.filter((address) => !isEnded(address)) };
    },
  };
}

/** Resolves also if the relay answers that there is no such address: an earlier request may have ended it. */
export async function untilEnded(ending: Promise<unknown>): Promise<void> {
  await ending.catch((failure: unknown) => {
    if (!isAnswer(failure, "ADDRESS_NOT_FOUND")) throw failure;
  });
}

/** The prefix of an address or a prefix of good form, in one spelling. */
export function prefixOf(address: string): Prefix {
  return parsePrefix(address.split("@")[0] ?? "") as Prefix;
}
