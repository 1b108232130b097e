import { retrying as retryingLostRaces } from "../../database/transaction-retry.js";
import { RelayError } from "../../protocol/errors.js";

/**
 * Thrown if devices were removed between two statements, or if a crash of the database emptied an unlogged table: the
 * work must be repeated.
 */
export class RowsVanished extends Error {
  readonly deviceIds: readonly string[];

  constructor(deviceIds: readonly string[]) {
    super("rows of devices are gone");
    this.deviceIds = deviceIds;
  }
}

/** Repeats `work` if it lost a race against another transaction or the rows of devices vanished. */
export function retrying<T>(work: () => Promise<T>): Promise<T> {
  return retryingLostRaces(work, (error) => error instanceof RowsVanished);
}

/** Whether the database as a whole is unavailable, so that a smaller batch would fail as well. */
export function isUnavailability(error: unknown): error is RelayError {
  return error instanceof RelayError && error.id === "DATABASE_UNAVAILABLE";
}
