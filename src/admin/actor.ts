import type { Operator } from "../audit/service.js";

/** The administrator who acts, and from where. Stored with every audit entry. */
export interface Actor {
  /** Canonical device id. */
  deviceId: string;
  ip: string;
  userAgent: string | null;
}

/** The origin of a request. */
export type Caller = Pick<Actor, "ip" | "userAgent">;

const maxUserAgentLength = 512;

/** The members of an audit entry that name the actor. */
export function auditedBy({ deviceId, ip, userAgent }: Actor): Operator & { admin: string; ipAddress: string } {
  return { admin: deviceId, ipAddress: ip, userAgent: userAgent?.slice(0, maxUserAgentLength) ?? null };
}

/** The actor of a request. */
export function actorOf(call: { principal: { deviceId: string }; ip: string; userAgent: string | null }): Actor {
  return { deviceId: call.principal.deviceId, ip: call.ip, userAgent: call.userAgent };
}
