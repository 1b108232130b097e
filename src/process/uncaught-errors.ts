import { withinTime } from "../platform/concurrency/within-time.js";
import type { Logger } from "../platform/logger.js";

/** The exit code after an uncaught error (EX_SOFTWARE of sysexits.h). */
export const uncaughtExitCode = 70;

/** Time to close after open requests have had their grace period. */
const closingSeconds = 10;
/** Maximum number of errors that are logged after the first one. */
const maxLogged = 20;

/**
 * After an uncaught exception or an unhandled rejection the state of the process is unknown. So the error is logged,
 * and the process drains as on SIGTERM within a time limit and exits with code 70; its supervisor starts a new one.
 * Returns a function that removes the listeners.
 */
export function endOnUncaughtErrors(deps: {
  logger: Pick<Logger, "fatal">;
  drain(): Promise<unknown>;
  graceSeconds: number;
  exit?: (code: number) => void;
}): () => void {
  const { logger, drain, graceSeconds, exit = process.exit } = deps;
  let met = 0;

  const end = async (): Promise<void> => {
    const late = () => logger.fatal("draining took too long");
    const drained = withinTime(drain(), (graceSeconds + closingSeconds) * 1000, late);
    await drained.catch((error: unknown) => note(error, "draining failed"));
    exit(uncaughtExitCode);
  };
  const note = (error: unknown, what: string): void => {
    met += 1;
    if (met <= maxLogged) logger.fatal({ err: error }, what);
  };
  const caught = (what: string) => (error: unknown) => {
    const isFirst = met === 0;
    note(error, isFirst ? `${what}: the process drains and ends` : what);
    if (isFirst) void end();
  };
  // A closed terminal or pipe is no reason to end.
  for (const output of [process.stdout, process.stderr]) output.on("error", ignore);
  const exception = caught("an exception that nobody caught");
  const rejection = caught("a rejection that nobody handled");
  process.on("uncaughtException", exception).on("unhandledRejection", rejection);
  return () => {
    process.off("uncaughtException", exception).off("unhandledRejection", rejection);
    for (const output of [process.stdout, process.stderr]) output.off("error", ignore);
  };
}

function ignore(): void {}
