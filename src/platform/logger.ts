import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";
import { mebibyte } from "../protocol/units.js";
import type { Config } from "./config/config.js";
import { redact } from "./redaction.js";

export { shortDevice } from "./redaction.js";

export type Logger = PinoLogger;

/**
 * A logger that writes one JSON object a line, to standard output by default. Tokens, ciphertext,
 * signatures, addresses and network addresses are left out by name (see redaction.ts); texts are written as they are,
 * so a message must never be put together from what a client sent.
 */
export function createLogger(options: { level: Config["logLevel"]; destination?: DestinationStream }): Logger {
  const settings = {
    level: options.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: redact },
    // What `redact` makes of an error is written as it is.
    serializers: { err: (description: unknown) => description },
  };
  const logger: Logger = pino(settings, options.destination ?? standardOutput());
  redactChildren(logger);
  return logger;
}

const mostBytesKept = mebibyte;

/** A log that cannot be written, on a full disk or to a reader that is gone, loses lines; the relay goes on. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, maxLength: mostBytesKept });
  output.on("error", () => undefined);
  return output;
}

/** What a child logger is bound to passes no formatter; children inherit this method. */
function redactChildren(logger: Logger): void {
  const plainChild = logger.child;
  logger.child = function child(this: Logger, bindings: Record<string, unknown>) {
    return plainChild.call(this, redact(bindings));
  } as Logger["child"];
}
