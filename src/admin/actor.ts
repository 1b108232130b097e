/** Who does something as an administrator, and from where; kept with everything that is done. */
export interface Actor {
  /** Canonical device id. */
  deviceId: string;
  ip: string;
  userAgent: string | null;
}

const longestAgent = 512;

/** An actor as the audit log keeps it. */
export function auditedBy({ deviceId, ip, userAgent }: Actor): {
  admin: string;
  ipAddress: string;
  userAgent: string | null;
} {
  return { admin: deviceId, ipAddress: ip, userAgent: userAgent?.slice(0, longestAgent) ?? null };
}

/** The administrator who makes a request. */
export function actorOf(call: { principal: { deviceId: string }; ip: string; userAgent: string | null }): Actor {
  return { deviceId: call.principal.deviceId, ip: call.ip, userAgent: call.userAgent };
}
