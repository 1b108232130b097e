import { isIP } from "node:net";
import { Command } from "commander";
import { createAuditService } from "../audit/service.js";
import { openMasterKey } from "../platform/auth/master-key-rotation.js";
import { inTransaction } from "../platform/database/connection.js";
import { networkKey } from "../platform/net/client-ip.js";
import { createIpBans } from "../platform/rate-limit/ip-bans.js";
import { createIpHashes } from "../platform/rate-limit/ip-hash.js";
import { withCliContext } from "./context.js";

export function ipsCommand(): Command {
  return new Command("ips").description("network addresses").addCommand(unbanCommand());
}

function unbanCommand(): Command {
  return new Command("unban")
    .description("lift the ban that a wrong proof brought upon an address")
    .argument("<ip>", "IPv4 or IPv6; of IPv6 the whole /64 is meant")
    .action(unban);
}

const bySystem = { admin: null, ipAddress: null, userAgent: null };

async function unban(ip: string): Promise<void> {
  if (isIP(ip) === 0) throw new Error(`${ip} is no IP address`);
  await withCliContext(async (place) => {
    const masterKey = await openMasterKey(place);
    const ipHashes = createIpHashes({ ...place, masterKey });
    const bans = createIpBans({ ...place, ipHashes });
    const audit = createAuditService(place);
    const target = await ipHashes.hash(networkKey(ip));
    const lifted = await inTransaction(place.db, async (trx) => {
      const done = await bans.unban(trx, networkKey(ip));
      if (done) await audit.record(trx, { action: "ip_unbanned", target, details: {}, ...bySystem });
      return done;
    });
    console.log(lifted ? "The ban is lifted." : "There is no ban of this address.");
  });
}
