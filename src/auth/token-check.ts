import { type Awaitable, chain } from "../platform/concurrency/awaitable.js";
import type { Sessions } from "./ended-sessions.js";
import type { SigningKeys } from "./signing-keys.js";
import { type Claims, invalidToken, type TokenKind, type Tokens } from "./tokens.js";

/** The bearer that a token names. Times are Unix seconds. */
export interface Holder {
  deviceId: string;
  sessionId: string;
  authTime: number;
  expiresAt: number;
  /** The key that signed the token. */
  keyId: string;
  /** The other claims of the token. */
  extra: Claims["extra"];
}

export type Authentication = ReturnType<typeof createAuthentication>;

/** Checks a token, and the current state of its session and key. */
export function createAuthentication(deps: { tokens: Tokens; sessions: Sessions; signingKeys: SigningKeys }) {
  const { tokens, sessions, signingKeys } = deps;
  let isSessionValid: (claims: Pick<Claims, "kind" | "subject" | "sessionId" | "authTime">) => boolean = () => true;
  sessions.onEnded((standsNow) => {
    isSessionValid = standsNow;
  });
  return {
    /** The holder of a token of this kind whose session is valid; throws INVALID_TOKEN. */
    authenticate: (kind: TokenKind, token: string): Awaitable<Holder> =>
      chain(tokens.verify(kind, token), (claims) =>
        chain(sessions.isValid(claims), (isStillValid) => {
          if (!isStillValid) throw invalidToken("the session has been ended");
          const { subject, sessionId, authTime, expiresAt, keyId, extra } = claims;
          return { deviceId: subject, sessionId, authTime, expiresAt, keyId, extra };
        }),
      ),
    /** Whether key and session are still valid, according to copies in memory that are at most a second old. */
    isValid: ({ keyId, ...holder }: Omit<Holder, "expiresAt" | "extra">): boolean =>
      signingKeys.isValid(keyId) && isSessionValid({ kind: "device", subject: holder.deviceId, ...holder }),
  };
}
