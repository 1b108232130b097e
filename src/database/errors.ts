import { RelayError } from "../protocol/errors.js";

/** DATABASE_UNAVAILABLE for failures of the connection or the server's state; otherwise the error itself. */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof RelayError || !isUnavailability(error)) return error;
  return new RelayError("DATABASE_UNAVAILABLE", describeUnavailability(error), { cause: error });
}

/** The SQLSTATE of a database error, translated or not; undefined for any other error. */
export function sqlStateOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (error instanceof RelayError) return cause === undefined ? undefined : sqlStateOf(cause);
  return typeof code === "string" && sqlState.test(code) ? code : undefined;
}

/** SQLSTATEs of PostgreSQL's appendix A that the relay distinguishes. */
export const diskFullState = "53100";
export const readOnlyState = "25006";

/** Whether the database refused a write, while it goes on answering: its disk is full, or it takes no writes. */
export function isRefusedWrite(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === diskFullState || state === readOnlyState;
}

const sqlState = /^[0-9A-Z]{5}$/;
// Classes and codes of PostgreSQL's appendix A: connection, insufficient resources, operator intervention; wrong login,
// unknown or closed database; lock not available; read-only transaction, as a standby answers after a failover; a
// transaction that the server aborted; errors of the server's files.
const unavailableStates = /^(08...|53...|57P0[1-5]|57014|28...|3D000|55000|55P03|25006|25P0[34]|58000|58030)$/;
/** With these severities the server closes the connection or refuses to open it. */
const endsConnection: ReadonlySet<unknown> = new Set(["FATAL", "PANIC"]);
const loginStates = /^(28...|3D000|55000|42501)$/;
const unavailableSystemCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
  // No connection can be opened.
  "EMFILE",
  "ENFILE",
]);
const unavailableMessages =
  /connection terminated|query read timeout|timeout expired|connection timeout|not queryable|acquiring a connection|acquire a connection|^SASL|does not support SSL/i;

/** Whether a connection failed because the certificate of the other side is not trusted, or not for its name. */
export function isCertificateFault(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (error instanceof RelayError) return isCertificateFault(cause);
  return typeof code === "string" && /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(code);
}

function isUnavailability(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isCertificateFault(error)) return true;
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  if (endsConnection.has(severity)) return true;
  if (typeof code === "string") return unavailableStates.test(code) || unavailableSystemCodes.has(code);
  return unavailableMessages.test(error.message) || error.name === "AggregateError";
}

function describeUnavailability(error: unknown): string {
  const state = sqlStateOf(error) ?? "";
  if (state === diskFullState) return "the database has no space left on its disk";
  if (state === readOnlyState) return "the database is read-only at the moment";
  if (isCertificateFault(error)) return "the certificate of the database's server is not trusted";
  if (loginStates.test(state)) return "the database refuses the relay's login at the moment";
  return "the database cannot be reached at the moment";
}
