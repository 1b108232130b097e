import { Command } from "commander";
import { renderUnicodeCompact } from "uqr";
import { createConsoleLinks } from "../admin/service.js";
import { createAuditService } from "../audit/service.js";
import { withCliContext } from "./context.js";
import { jsonOption, type ShowOptions, show, timeOf } from "./output.js";

interface ConsoleOptions extends ShowOptions {
  as?: string;
  qr: boolean;
}

/** The console's address, with a sign-in link for the operator of this machine. */
export function consoleCommand(): Command {
  return new Command("console")
    .description("print a link that signs a browser in, once")
    .option("--as <device_id>", "the administrator in whose name it is made; default: the longest-serving one")
    .option("--no-qr", "print no QR code")
    .option(...jsonOption)
    .action((options: ConsoleOptions) =>
      withCliContext(async ({ db, clock, random, config }) => {
        const audit = createAuditService({ clock, random });
        const links = createConsoleLinks({ db, clock, random, config, audit });
        const { url, deviceId: device_id, expiresAt: expires_at } = await links.make(options.as);
        show({ url, device_id, expires_at }, options, () => [
          url,
          ...(options.qr ? ["", renderUnicodeCompact(url), ""] : []),
          `Valid once, until ${timeOf(expires_at)}, as ${device_id}. Anyone who has it can sign in: do not share it.`,
        ]);
      }),
    );
}
