/** The administrator who acts, and from where. Stored with every audit entry. */
export interface Actor {
  /** Canonical device id. */
  deviceId: string;
  ip: string;
  userAgent: string | null;
}

/** From where a request came. */
export type Caller = Pick<Actor, "ip" | "userAgent">;

const maxUserAgentLength = 512;

/** Who acts, as an audit entry names them. All members are null for the operator on the command line. */
export interface Operator {
  admin: string | null;
  ipAddress: string | null;
  userAgent: string | null;
}

/** The members of an audit entry that name the actor. */
export function auditedBy({ deviceId, ip, userAgent }: Actor): {
  admin: string;
  ipAddress: string;
  userAgent: string | null;
} {
  return { admin: deviceId, ipAddress: ip, userAgent: userAgent?.slice(0, maxUserAgentLength) ?? null };
}

/** The actor of a request. */
export function actorOf(call: { principal: { deviceId: string }; ip: string; userAgent: string | null }): Actor {
  return { deviceId: call.principal.deviceId, ip: call.ip, userAgent: call.userAgent };
}
