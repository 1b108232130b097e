import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";
import type { Config } from "./config.js";
import { redact } from "./redaction.js";

export { shortDevice } from "./redaction.js";

export type Logger = PinoLogger;

/**
 * A logger that writes one JSON object a line, to standard output unless told otherwise. Tokens, ciphertext,
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
  const logger: Logger = options.destination === undefined ? pino(settings) : pino(settings, options.destination);
  redactChildren(logger);
  return logger;
}

/** What a child logger is bound to passes no formatter; children inherit this method. */
function redactChildren(logger: Logger): void {
  const plainChild = logger.child;
  logger.child = function child(this: Logger, bindings: Record<string, unknown>) {
    return plainChild.call(this, redact(bindings));
  } as Logger["child"];
}
