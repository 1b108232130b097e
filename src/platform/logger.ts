import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";
import { mebibyte } from "../protocol/units.js";
import type { ServerConfig } from "./config/server.js";
import { textOfLine } from "./log-text.js";
import { redact } from "./redaction.js";

export { shortDevice } from "./redaction.js";

export type Logger = PinoLogger;

/**
 * A logger that writes one JSON object per line, or text for people (see log-text.ts), to standard output by default.
 * Tokens, ciphertext, signatures, addresses and network addresses are redacted by member name (see redaction.ts).
 * Message texts are written unchanged, so a text must never contain client input.
 */
export function createLogger(options: {
  level: ServerConfig["logLevel"];
  /** By default, text on a terminal and JSON elsewhere. */
  format?: ServerConfig["logFormat"];
  destination?: DestinationStream;
}): Logger {
  const settings = {
    level: options.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: redact },
    // Errors that `redact` has processed are written unchanged.
    serializers: { err: (description: unknown) => description },
  };
  const destination = options.destination ?? standardOutput();
  const logger: Logger = pino(settings, isText(options) ? asText(destination, options) : destination);
  redactChildren(logger);
  return logger;
}

function isText({ format = "auto", destination }: Parameters<typeof createLogger>[0]): boolean {
  return format === "text" || (format === "auto" && destination === undefined && process.stdout.isTTY === true);
}

/** Stacks help only those who look for a bug in the program. */
function asText(destination: DestinationStream, { level }: { level: ServerConfig["logLevel"] }): DestinationStream {
  const withStacks = level === "debug" || level === "trace";
  return { write: (line) => destination.write(textOfLine(line, withStacks)) };
}

const maxBytesKept = mebibyte;

/** If the log cannot be written (full disk, closed pipe), lines are lost but the relay keeps running. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, maxLength: maxBytesKept });
  output.on("error", () => undefined);
  return output;
}

/** Bindings of a child logger pass no formatter; children inherit this method. */
function redactChildren(logger: Logger): void {
  const plainChild = logger.child;
  logger.child = function child(this: Logger, bindings: Record<string, unknown>) {
    return plainChild.call(this, redact(bindings));
  } as Logger["child"];
}
