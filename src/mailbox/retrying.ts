import { RelayError } from "../protocol/errors.js";
import { MailboxesVanished } from "./storing.js";

const attempts = 6;

// Deadlock and serialisation failure (PostgreSQL, appendix A): the other transaction won, this one may simply run again.
const lostRaces: ReadonlySet<unknown> = new Set(["40P01", "40001"]);

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
export function isUnavailability(error: unknown): boolean {
  return error instanceof RelayError && error.id === "DATABASE_UNAVAILABLE";
}

function lostRace(error: unknown): boolean {
  return error instanceof MailboxesVanished || lostRaces.has((error as { code?: unknown } | null)?.code);
}
