import { type Awaitable, chain } from "../concurrency/awaitable.js";
import type { Infrastructure } from "../infrastructure.js";
import { type Claims, invalidToken, type TokenKind } from "./tokens.js";

/** Who a token says its bearer is. Times are Unix seconds. */
export interface Holder {
  deviceId: string;
  sessionId: string;
  authTime: number;
  expiresAt: number;
  /** The key that signed the token. */
  keyId: string;
  /** What the token says beyond that. */
  extra: Claims["extra"];
}

export interface Authentication {
  /** The holder of a token of this kind whose session stands; throws INVALID_TOKEN. */
  authenticate(kind: TokenKind, token: string): Awaitable<Holder>;
  /** The same question about key and session alone, answered from the copies at hand: at most a second old. */
  stands(holder: Omit<Holder, "expiresAt" | "extra">): boolean;
}

/** Joins what a token says with what has become of its session and its key since. */
export function createAuthentication({
  tokens,
  sessions,
  signingKeys,
}: Pick<Infrastructure, "tokens" | "sessions" | "signingKeys">): Authentication {
  let sessionStands: (claims: Pick<Claims, "kind" | "subject" | "sessionId" | "authTime">) => boolean = () => true;
  sessions.onEnded((standsNow) => {
    sessionStands = standsNow;
  });
  return {
    authenticate: (kind, token) =>
      chain(tokens.verify(kind, token), (claims) =>
        chain(sessions.stands(claims), (standsStill) => {
          if (!standsStill) throw invalidToken("the session has been ended");
          const { subject, sessionId, authTime, expiresAt, keyId, extra } = claims;
          return { deviceId: subject, sessionId, authTime, expiresAt, keyId, extra };
        }),
      ),
    stands: ({ keyId, ...holder }) =>
      signingKeys.stands(keyId) && sessionStands({ kind: "device", subject: holder.deviceId, ...holder }),
  };
}
