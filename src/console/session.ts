import type { OperationId } from "../../generated/handlers.js";
import { type Route, routes } from "../../generated/routes.js";
import { type AdminClient, type AdminSession, connectAdmin } from "../client/admin.js";
import type { Caller } from "../client/connection/calls.js";
import { connect } from "../client/connection/connection.js";
import { isAnswer } from "../client/connection/failures.js";
import type { DeviceKeys } from "../client/crypto/keys.js";
import { type Runtime, runtimeWith } from "../client/runtime/runtime.js";
import { fetchingConditionally } from "./conditional-fetch.js";
import { fetchAndNote } from "./reachability.js";
import { askTabs, askTabsToCheck, offerToTabs, type StoredSession } from "./tabs.js";

/** A signed-in administrator. */
export interface SignedIn {
  readonly deviceId: string;
  readonly domain: string;
  readonly level: AdminSession["level"];
  /** Calls an operation; a session that cannot be renewed ends. */
  readonly call: Caller["call"];
  /** Whether the administrator's permissions include the operation's. The server decides again with every request. */
  may(operation: OperationId): boolean;
  signOut(): Promise<void>;
  nowSeconds(): number;
}

const storageKey = "mls-relay console session";

/** The session needs a signature to continue, but this page has no key. */
class NoKeyError extends Error {}

const retries = { attempts: 2, baseMillis: 300 };

/** The relay's address; the console is served one level below it. */
const relayUrl = new URL("..", document.baseURI).href;

/** A relay address outside the console. */
export function relayAddress(path: string): string {
  return new URL(path, relayUrl).href;
}

const conditional = fetchingConditionally(fetchAndNote);

const runtime: Runtime = runtimeWith({ fetch: fetchWithRequestId });

/**
 * Fetches, and adds the `X-Request-Id` of an error answer to its body, where errors of the client package have it as
 * `extras.request_id`.
 */
async function fetchWithRequestId(url: string, init: RequestInit): Promise<Response> {
  const response = await conditional.fetch(url, init);
  const requestId = response.headers.get("x-request-id");
  if (response.ok || requestId === null) return response;
  const body: unknown = await response.json().catch(() => undefined);
  if (typeof body !== "object" || body === null) return response;
  const { status, headers } = response;
  return new Response(JSON.stringify({ request_id: requestId, ...body }), { status, headers });
}

/**
 * Unlike other clients, the console trusts the relay's claim about its domain: the page came from that relay, so a
 * hostile one would not need to ask for a signature.
 */
export async function discover(): Promise<{ domain: string; name: string }> {
  const { caller } = await connect({ url: relayUrl, domain: location.host, runtime, retries });
  const { server, server_name } = await caller.call("getDiscovery");
  return { domain: server, name: server_name };
}

export async function signIn(keys: DeviceKeys, onEnd: () => void): Promise<SignedIn> {
  forgetSession();
  const client = await clientWith(keys);
  const session = await client.login();
  begin({ deviceId: keys.deviceId, session });
  return signedIn(client, session, onEnd);
}

/**
 * Signs in with the code of a link that `mls-relay console` printed. The session cannot be succeeded by another one.
 */
export async function signInWithLink(code: string, onEnd: () => void): Promise<SignedIn> {
  const { caller } = await connect({ url: relayUrl, domain: location.host, runtime, retries });
  const answer = await caller.call("loginWithLink", { body: { code } });
  const { admin_token: accessToken, expires_at: expiresAt, permissions, admin_level: level } = answer;
  const session: AdminSession = { accessToken, expiresAt, permissions, level };
  begin({ deviceId: answer.device_id, session });
  return signedIn(await clientWith(withoutKey(answer.device_id), session), session, onEnd);
}

/** Continues the session from before the page was reloaded, or that of another tab, if there is one. */
export async function resume(keys: DeviceKeys | undefined, onEnd: () => void): Promise<SignedIn | undefined> {
  const stored = readStored() ?? (await askTabs());
  return stored === undefined ? undefined : goOnWith(stored, keys, onEnd);
}

/** Continues another tab's session, if there is one, after this tab's session has ended. */
export async function resumeElsewhere(keys: DeviceKeys | undefined, onEnd: () => void): Promise<SignedIn | undefined> {
  const endedToken = readStored()?.session.accessToken;
  forgetSession();
  const stored = await askTabs(endedToken);
  return stored === undefined ? undefined : goOnWith(stored, keys, onEnd);
}

/** Continues a session that this tab or another one has. */
export async function goOnWith(
  stored: StoredSession,
  keys: DeviceKeys | undefined,
  onEnd: () => void,
): Promise<SignedIn> {
  const { deviceId, session } = stored;
  store(stored);
  const usable = keys?.deviceId === deviceId ? keys : withoutKey(deviceId);
  return signedIn(await clientWith(usable, session), session, onEnd);
}

export function forgetSession(): void {
  sessionStorage.removeItem(storageKey);
  conditional.forget();
}

async function clientWith(keys: DeviceKeys, session?: AdminSession): Promise<AdminClient> {
  const { domain } = await discover();
  const onSession = (next: AdminSession) => store({ deviceId: keys.deviceId, session: next });
  let nowSeconds = runtimeSeconds;
  const guarded = signingAfterExpiry(keys, () => nowSeconds());
  const options = { url: relayUrl, domain, keys: guarded, runtime, retries, session, onSession };
  const client = await connectAdmin(options);
  nowSeconds = client.connection.clock.nowSeconds;
  return client;
}

const runtimeSeconds = (): number => runtime.nowMillis() / 1000;

/** How long before the end of its session a key may begin the next one. */
const successionSeconds = 60;

/**
 * Keys that begin another session only after the stored one has expired. If the stored session is refused earlier, an
 * administrator has ended it, and the user has to sign in again.
 */
function signingAfterExpiry(keys: DeviceKeys, nowSeconds: () => number): DeviceKeys {
  return {
    ...keys,
    sign(text) {
      const expiresAt = readStored()?.session.expiresAt ?? 0;
      if (nowSeconds() >= expiresAt - successionSeconds) return keys.sign(text);
      return Promise.reject(new NoKeyError("the session was ended before its time"));
    },
  };
}

function signedIn(client: AdminClient, { level, permissions }: AdminSession, onEnd: () => void): SignedIn {
  const held: readonly string[] = permissions;
  let isOver = false;
  return {
    deviceId: client.deviceId,
    domain: client.connection.domain,
    level,
    async call(operation, ...input) {
      try {
        return await client.call(operation, ...input);
      } catch (failure) {
        if (endsSession(failure) && !isOver) {
          isOver = true;
          onEnd();
        }
        throw failure;
      }
    },
    may(operation) {
      const { permission }: Route = routes[operation];
      return permission === null || held.includes("all") || held.includes(permission);
    },
    async signOut() {
      isOver = true;
      await client.logout();
      askTabsToCheck();
    },
    nowSeconds: () => client.connection.clock.nowSeconds(),
  };
}

function endsSession(failure: unknown): boolean {
  return failure instanceof NoKeyError || isAnswer(failure, "INVALID_TOKEN") || isAnswer(failure, "INVALID_ADMIN");
}

function withoutKey(deviceId: string): DeviceKeys {
  const sign = () => Promise.reject(new NoKeyError("this page has no key"));
  return { deviceId, publicKey: new Uint8Array(), sign };
}

function begin(session: StoredSession): void {
  store(session);
  offerToTabs(session);
}

function store(session: StoredSession): void {
  sessionStorage.setItem(storageKey, JSON.stringify(session));
}

export function readStored(): StoredSession | undefined {
  const text = sessionStorage.getItem(storageKey);
  return text === null ? undefined : (JSON.parse(text) as StoredSession);
}
