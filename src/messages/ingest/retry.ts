import { isSerializationFailure } from "../../platform/database/transaction-retry.js";
import { RelayError } from "../../protocol/errors.js";
import { RowsVanished } from "./rows-vanished.js";

const attempts = 6;

/** Runs `work` again where it only lost a race against another transaction; everything else is thrown. */
export async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || !lostRace(error)) throw error;
    }
  }
}

/** Whether the failure lies with the database as a whole, so that trying with less would fail as well. */
export function isUnavailability(error: unknown): error is RelayError {
  return error instanceof RelayError && error.id === "DATABASE_UNAVAILABLE";
}

function lostRace(error: unknown): boolean {
  return error instanceof RowsVanished || isSerializationFailure(error);
}
