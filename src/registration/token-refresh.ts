import type { AuthSettings } from "../auth/config.js";
import { invalidToken, type Tokens } from "../auth/tokens.js";
import type { Db } from "../database/db.js";
import type { DevicesService } from "../devices/service.js";
import type { Clock } from "../node/clock.js";
import type { Session } from "./types.js";

/** Issues a new token of the same session, which ends `deviceSessionSeconds` after its announcement, however often it is refreshed. */
export function createTokenRefresh({
  db,
  clock,
  devices,
  tokens,
  config,
}: {
  db: Db;
  clock: Clock;
  devices: Pick<DevicesService, "find" | "touch">;
  tokens: Pick<Tokens, "issue">;
  config: Pick<AuthSettings, "deviceSessionSeconds" | "deviceTokenSeconds">;
}) {
  return async ({
    deviceId,
    sessionId,
    authTime,
  }: {
    deviceId: string;
    sessionId: string;
    authTime: number;
  }): Promise<Session> => {
    const notAfter = authTime + config.deviceSessionSeconds;
    if (notAfter <= clock.nowSeconds()) throw invalidToken("the session is too old to be refreshed; announce again");
    if (!(await devices.find(db, deviceId))) throw invalidToken("the device is no longer registered here");
    devices.touch(deviceId);
    const lifetimeSeconds = config.deviceTokenSeconds;
    const session = { sub: deviceId, sid: sessionId, authTime, lifetimeSeconds, notAfter };
    const { token, claims } = await tokens.issue("device", session);
    return { accessToken: token, expiresAt: claims.expiresAt };
  };
}
