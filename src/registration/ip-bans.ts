import type { Database } from "../database/db.js";
import type { IpBans } from "../limits/ip-ban-store.js";
import { RelayError } from "../protocol/errors.js";
import type { RegistrationSettings } from "./config.js";

interface IpBanDeps {
  db: Database;
  ipBans: Pick<IpBans, "ban" | "bannedUntil">;
  config: Pick<RegistrationSettings, "invalidProofBanSeconds">;
}

/** Throws IP_BANNED if a wrong proof came from the network address not long ago. */
export async function refuseBanned({ db, ipBans }: Pick<IpBanDeps, "db" | "ipBans">, ip: string): Promise<void> {
  const until = await ipBans.bannedUntil(db, ip);
  if (until === null) return;
  const extras = { reset_at: until };
  throw new RelayError("IP_BANNED", "this network address is banned because it sent a wrong proof", { extras });
}

/** Bans a network address that sent a wrong proof. */
export function banForProof({ db, ipBans, config }: IpBanDeps, ip: string): Promise<void> {
  return ipBans.ban(db, ip, config.invalidProofBanSeconds);
}
