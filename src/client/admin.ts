import { adminAnswerShapes as answerShapes } from "../../generated/admin-answer-shapes.js";
import { adminChallengeText } from "../protocol/signed-text.js";
import type { AnswerOf, Caller } from "./connection/calls.js";
import { type Connection, type ConnectionOptions, connect } from "./connection/connection.js";
import { withRelayTime } from "./connection/relay-clock.js";
import { createSessionKeeper, fixedToken, type TokenSession } from "./connection/session.js";
import { type DeviceKeys, demandKeys } from "./crypto/keys.js";
import { demandOptions } from "./runtime/arguments.js";

export interface AdminOptions extends ConnectionOptions {
  /** Keys that are on the relay's list of administrators. */
  keys: DeviceKeys;
  /** A previously stored session. */
  session?: AdminSession | undefined;
  onSession?: ((session: AdminSession) => void) | undefined;
}

type Login = AnswerOf<"loginAdmin">;

/** The result of a login. The relay checks the permissions again with every request, whatever is stored here. */
export interface AdminSession extends TokenSession {
  permissions: Login["permissions"];
  level: Login["admin_level"];
}

/** An administrator of one relay. Calls every operation with a token that is renewed in time. */
export interface AdminClient extends Caller {
  readonly deviceId: string;
  readonly connection: Connection;
  session(): AdminSession | undefined;
  login(): Promise<AdminSession>;
  /** Ends the session on every node. */
  logout(): Promise<void>;
}

export async function connectAdmin(options: AdminOptions): Promise<AdminClient> {
  demandOptions(options, "options");
  // A session can be continued without its key, for example in a page that was reloaded.
  if (options.session === undefined) demandKeys(options.keys);
  const connection = await connect(options);
  const { keys } = options;
  const keeper = createSessionKeeper<AdminSession>(
    {
      clock: connection.clock,
      refresh: (session) => refresh(connection, session),
      renew: () => login(connection, keys),
      onChange: options.onSession,
    },
    options.session,
  );
  const withToken = connection.callerWith({ admin: keeper }, { answerShapes });
  return {
    deviceId: keys.deviceId,
    connection,
    call: (operation, ...input) => withToken.call(operation, ...input),
    exchange: (operation, ...input) => withToken.exchange(operation, ...input),
    session: () => keeper.current(),
    async login() {
      const session = await login(connection, keys);
      await keeper.replace(session);
      return session;
    },
    async logout() {
      await withToken.call("logoutAdmin");
      keeper.drop();
    },
  };
}

async function login({ callerWith, clock, domain }: Connection, keys: DeviceKeys): Promise<AdminSession> {
  const caller = callerWith({}, { answerShapes });
  const answer = await withRelayTime(clock, async (now) => {
    const { challenge } = await caller.call("getAdminChallenge");
    const challenge_signature = await keys.sign(adminChallengeText({ challenge, audience: domain }));
    const signed = { device_id: keys.deviceId, challenge, challenge_signature, timestamp: now(), audience: domain };
    return caller.call("loginAdmin", { body: signed });
  });
  const { admin_token: accessToken, expires_at: expiresAt, permissions, admin_level: level } = answer;
  return { accessToken, expiresAt, permissions, level };
}

async function refresh(connection: Connection, session: AdminSession): Promise<TokenSession> {
  const answer = await connection
    .callerWith({ admin: fixedToken(session) }, { answerShapes })
    .call("refreshAdminToken");
  return { accessToken: answer.admin_token, expiresAt: answer.expires_at };
}
