import { isIP } from "node:net";
import { Command } from "commander";
import { bySystem, createAuditService } from "../audit/service.js";
import { createIpBans } from "../limits/ip-ban-store.js";
import { networkKey } from "../platform/addresses/network-key.js";
import { print } from "../platform/print.js";
import { withCliContext, withInfrastructure } from "./context.js";

export function ipsCommand(): Command {
  return new Command("ips").description("manage bans of network addresses").addCommand(unbanCommand());
}

function unbanCommand(): Command {
  return new Command("unban")
    .description("lift the ban of an address that sent a wrong delay proof")
    .argument("<ip>", "IPv4 or IPv6; for IPv6, the whole /64")
    .action(unban);
}

async function unban(ip: string): Promise<void> {
  if (isIP(ip) === 0) throw new Error(`${ip} is not an IP address`);
  await withCliContext((context) =>
    withInfrastructure(context, async ({ db, clock, random, ipHashes }) => {
      const bans = createIpBans({ ipHashes, clock });
      const audit = createAuditService({ clock, random });
      const target = await ipHashes.hash(networkKey(ip));
      const lifted = await db.transaction(async (trx) => {
        const done = await bans.unban(trx, networkKey(ip));
        if (done) await audit.record(trx, { ...bySystem, action: "ip_unbanned", target, details: {} });
        return done;
      });
      print(lifted ? "The ban is lifted." : "This address is not banned.");
    }),
  );
}
