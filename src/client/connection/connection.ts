import { newMessageId } from "../../protocol/identifiers.js";
import { demandFunction, demandOptions, demandString, demandUrl, ifGiven } from "../runtime/arguments.js";
import { type Runtime, runtimeWith } from "../runtime/runtime.js";
import { type AnswerOf, type Caller, type CallerDeps, createCaller } from "./calls.js";
import { createReachability, type Reachability } from "./reachability.js";
import { createRelayClock, type RelayClock } from "./relay-clock.js";
import { defaultRetries, demandRetries, type RetryPolicy } from "./retry.js";

export interface ConnectionOptions {
  /** The relay's base address, such as `https://relay.example`. */
  url: string;
  /**
   * The relay's domain, which signatures name as their audience. Required if it differs from the host of `url`. The
   * relay's claim is not trusted, because a hostile relay could collect signatures that are valid elsewhere.
   */
  domain?: string | undefined;
  retries?: Partial<RetryPolicy> | undefined;
  runtime?: Partial<Runtime> | undefined;
}

/** A relay whose domain is known. */
export interface Connection {
  readonly url: string;
  readonly domain: string;
  readonly runtime: Runtime;
  readonly clock: RelayClock;
  readonly reachability: Reachability;
  /** The relay's discovery document, as first read. */
  discover(): Promise<AnswerOf<"getDiscovery">>;
  /** A UUIDv7 for a message. */
  newMessageId(): string;
  /** How failed calls are repeated if a call does not say otherwise. */
  readonly retries: RetryPolicy;
  /** Makes calls without a token. */
  readonly caller: Caller;
  /** Makes calls with tokens of these sources. */
  callerWith(
    tokens: NonNullable<CallerDeps["tokens"]>,
    options?: Pick<CallerDeps, "onAnswer" | "answerShapes">,
  ): Caller;
}

/** Discovers the relay. Throws if it claims a domain other than the expected one. */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  demandConnectionOptions(options);
  const url = baseOf(options.url);
  const runtime = runtimeWith(options.runtime);
  const reachability = createReachability();
  const deps: CallerDeps = { url, runtime, retries: options.retries ?? {}, reachability };
  const caller = createCaller(deps);
  const clock = createRelayClock(runtime);
  let document: Promise<AnswerOf<"getDiscovery">> | undefined;
  const discover = () => {
    document ??= caller.call("getDiscovery");
    document.catch(() => {
      document = undefined;
    });
    return document;
  };
  return {
    url,
    domain: options.domain?.toLowerCase() ?? domainOf(url, await discover()),
    runtime,
    clock,
    reachability,
    discover,
    retries: { ...defaultRetries, ...options.retries },
    newMessageId: () => newMessageId(clock.nowMillis(), runtime.randomBytes(10)),
    caller,
    callerWith: (tokens, own = {}) => createCaller({ ...deps, ...own, tokens }),
  };
}

/** Without spaces around it and slashes at its end, and in lower case where case has no meaning. */
function baseOf(text: string): string {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`.replace(/\/+$/, "");
}

function demandConnectionOptions(options: ConnectionOptions): void {
  demandOptions(options, "options");
  demandUrl(options.url, "url");
  ifGiven(options.domain, (domain) => demandString(domain, "domain"));
  ifGiven(options.retries, demandRetries);
  ifGiven(options.runtime, (runtime) => {
    demandOptions(runtime, "runtime");
    for (const [name, part] of Object.entries(runtime)) ifGiven(part, () => demandFunction(part, `runtime.${name}`));
  });
}

function domainOf(url: string, { server }: AnswerOf<"getDiscovery">): string {
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
