import { newMessageId } from "../protocol/identifiers.js";
import { type Caller, type CallerNeeds, createCaller } from "./calls.js";
import { createRelayClock, type RelayClock } from "./relay-clock.js";
import type { RetryPolicy } from "./retrying.js";
import { type Surroundings, surroundingsWith } from "./surroundings.js";

export interface ConnectionOptions {
  /** The relay's base address, such as `https://relay.example`. */
  url: string;
  /**
   * The relay's domain, which signatures are made for. Needed where it is not the host of `url`: a domain that the relay
   * alone claims is not believed, or a hostile one could collect signatures that are good elsewhere.
   */
  domain?: string | undefined;
  retries?: Partial<RetryPolicy> | undefined;
  surroundings?: Partial<Surroundings> | undefined;
}

/** A relay, its domain known. */
export interface Connection {
  readonly url: string;
  readonly domain: string;
  readonly surroundings: Surroundings;
  readonly clock: RelayClock;
  /** A UUIDv7 for a message. */
  newMessageId(): string;
  /** Calls without tokens. */
  readonly caller: Caller;
  /** A caller that sends tokens of these sources. */
  callerWith(tokens: NonNullable<CallerNeeds["tokens"]>): Caller;
}

/** Finds the relay. Throws where it claims a domain other than the expected one. */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const surroundings = surroundingsWith(options.surroundings);
  const needs: CallerNeeds = { url: options.url, surroundings, retries: options.retries ?? {} };
  const caller = createCaller(needs);
  const clock = createRelayClock(surroundings);
  return {
    url: options.url.replace(/\/+$/, ""),
    domain: options.domain ?? (await discoverDomain(options.url, caller)),
    surroundings,
    clock,
    newMessageId: () => newMessageId(clock.nowMillis(), surroundings.randomBytes(10)),
    caller,
    callerWith: (tokens) => createCaller({ ...needs, tokens }),
  };
}

async function discoverDomain(url: string, caller: Caller): Promise<string> {
  const { server } = await caller.call("getDiscovery");
  const expected = new URL(url);
  const claimed = new URL(`${expected.protocol}//${server}`);
  const isSame = claimed.host === expected.host || (isLoopback(claimed) && isLoopback(expected));
  if (!isSame)
    throw new Error(`the relay at ${expected.host} calls itself ${server}: pass \`domain\` if that is right`);
  return server;
}

function isLoopback({ hostname }: URL): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}
