import { isSerializationFailure } from "../../database/transaction-retry.js";
import { RelayError } from "../../protocol/errors.js";

const attempts = 6;

/**
 * Thrown where devices were removed between two statements, or a crash of the database emptied an unlogged table: the
 * work is to be repeated.
 */
export class RowsVanished extends Error {
  readonly deviceIds: readonly string[];

  constructor(deviceIds: readonly string[]) {
    super("rows of devices are gone");
    this.deviceIds = deviceIds;
  }
}

/** Repeats `work` where it only lost a race against another transaction; throws every other error. */
export async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || !lostRace(error)) throw error;
    }
  }
}

/** Whether the database as a whole is unavailable, so that a smaller batch would fail as well. */
export function isUnavailability(error: unknown): error is RelayError {
  return error instanceof RelayError && error.id === "DATABASE_UNAVAILABLE";
}

function lostRace(error: unknown): boolean {
  return error instanceof RowsVanished || isSerializationFailure(error);
}
