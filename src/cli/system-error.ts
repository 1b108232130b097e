import { diskFullState, isCertificateFault, readOnlyState, sqlStateOf } from "../database/errors.js";

/** Explains what the operating system, the network or PostgreSQL refused, and what an operator can do next. */
interface Explanation {
  cause: string;
  next: string;
}

/** The members that Node.js adds to operating system errors. */
type SystemError = NodeJS.ErrnoException & { address?: string; port?: number; hostname?: string; dest?: string };

/** Explains an error by its code; undefined for an error that has none of these codes. */
export function explainSystemError(error: Error): Explanation | undefined {
  const { code = "" } = error as SystemError;
  const found = firstOf(error);
  if (found.syscall === "listen" && Object.hasOwn(listening, code)) return listening[code]?.(found);
  return general[code]?.(found);
}

/** What to do if the database could not be reached; its own message says why. */
export function adviceForDatabase(problem: unknown): string {
  if (isCertificateFault(problem)) return certificateAdvice;
  if (/does not support SSL/i.test(causeText(problem)))
    return "set sslmode=disable in DATABASE_URL, or let PostgreSQL offer TLS";
  const state = sqlStateOf(problem) ?? "";
  return databaseAdvice.find(([pattern]) => pattern.test(state))?.[1] ?? "start PostgreSQL, or correct DATABASE_URL";
}

const certificateAdvice =
  "DATABASE_URL (or PGSSLMODE) asks for TLS, and the relay checks the certificate with each sslmode, require too: name its authority " +
  "with sslrootcert=/path/ca.pem, or use the name in the certificate; sslmode=no-verify accepts any certificate (docs/how-to/postgresql.md)";

function causeText(problem: unknown): string {
  const { cause } = problem as { cause?: unknown };
  return cause instanceof Error ? cause.message : "";
}

const databaseAdvice: readonly (readonly [RegExp, string])[] = [
  [
    /^28/,
    "correct the account or the password in DATABASE_URL (% is written %25 in it), or allow this machine in pg_hba.conf",
  ],
  [/^3D000$/, "create the database, or correct its name in DATABASE_URL"],
  [/^53300$/, "raise max_connections of PostgreSQL, or lower DATABASE_POOL_SIZE"],
  [new RegExp(`^${diskFullState}$`), "free some space on the database's disk"],
  [new RegExp(`^${readOnlyState}$`), "let DATABASE_URL name the primary: a standby takes no writes"],
  [/^57P03$/, "wait until PostgreSQL has started, and try again"],
];

/** A name with several network addresses fails once for each of them. */
function firstOf(error: SystemError): SystemError {
  return error instanceof AggregateError ? ((error.errors[0] as SystemError | undefined) ?? error) : error;
}

type Explain = (error: SystemError) => Explanation;

const listening: Readonly<Record<string, Explain>> = {
  EADDRINUSE: (error) => ({
    cause: `another program listens at ${peerOf(error)}`,
    next: "stop that program, which may be a relay that still runs, or choose another port",
  }),
  EACCES: (error) => ({
    cause: `this account may not listen at ${peerOf(error)}`,
    next: "choose a port above 1023, or give the program CAP_NET_BIND_SERVICE (docs/how-to/https.md)",
  }),
  EADDRNOTAVAIL: ({ address }) => ({
    cause: `this machine has no network address ${address}`,
    next: "choose one that it has (0.0.0.0 or :: for all)",
  }),
};

const checkPath = "check the path, and the folder in which the command runs";
const checkNetwork = "check this machine's network and firewall, and the address";
const freeSpace = "free some space there, or choose a folder on another disk (DATA_DIR, BACKUP_DIR)";
const allowAccess = "give the account that runs the command access to it, or choose another path";
const raiseLimit = "raise the limit of open files (ulimit -n, LimitNOFILE of systemd)";

const general: Readonly<Record<string, Explain>> = {
  ENOENT: (error) =>
    error.syscall?.startsWith("spawn") === true
      ? { cause: `there is no program ${error.path}`, next: "install it, or add its folder to PATH" }
      : error.syscall === "mkdir"
        ? {
            cause: `the folder ${nameOf(error)} cannot be made`,
            next: "choose a folder that can be written, and is not on a read-only file system",
          }
        : { cause: `there is no ${nameOf(error)}`, next: checkPath },
  ENOTDIR: (error) => ({ cause: `a part of the path ${nameOf(error)} is a file, not a folder`, next: checkPath }),
  EISDIR: (error) => ({ cause: `${nameOf(error)} is a folder, not a file`, next: checkPath }),
  EEXIST: (error) => ({
    cause: `${nameOf(error)} already exists and is not overwritten`,
    next: "choose another name, or move it away first",
  }),
  EACCES: (error) => ({ cause: `this account may not use ${nameOf(error)}`, next: allowAccess }),
  EPERM: (error) => ({ cause: `this account may not change ${nameOf(error)}`, next: allowAccess }),
  EROFS: (error) => ({ cause: `${nameOf(error)} is on a read-only file system`, next: "choose another folder" }),
  ENOSPC: (error) => ({ cause: `the disk of ${nameOf(error)} is full`, next: freeSpace }),
  EDQUOT: (error) => ({ cause: `this account has used up its quota on the disk of ${nameOf(error)}`, next: freeSpace }),
  EMFILE: () => ({ cause: "this process has as many open files as it may have", next: raiseLimit }),
  ENFILE: () => ({ cause: "this machine has as many open files as it may have", next: raiseLimit }),
  ECONNREFUSED: (error) => ({
    cause: `nothing listens at ${peerOf(error)}`,
    next: "start the server there, or correct the address",
  }),
  ECONNRESET: () => ({ cause: "the server closed the connection", next: "try again; see the server's log" }),
  ETIMEDOUT: (error) => ({ cause: `${peerOf(error)} does not answer`, next: checkNetwork }),
  EHOSTUNREACH: (error) => ({ cause: `there is no route to ${peerOf(error)}`, next: checkNetwork }),
  ENETUNREACH: (error) => ({ cause: `there is no route to ${peerOf(error)}`, next: checkNetwork }),
  ENOTFOUND: ({ hostname }) => ({
    cause: `there is no host ${hostname}`,
    next: "correct the name, or add it to DNS or /etc/hosts",
  }),
  EAI_AGAIN: ({ hostname }) => ({
    cause: `no DNS server answers for ${hostname}`,
    next: "check this machine's network and /etc/resolv.conf, and try again",
  }),
};

/** Writes to an open file fail without its path. */
function nameOf({ path, dest }: SystemError): string {
  return dest ?? path ?? "the file";
}

function peerOf({ address, port }: SystemError): string {
  if (address === undefined) return "the address";
  const host = address.includes(":") ? `[${address}]` : address;
  return port === undefined ? host : `${host}:${port}`;
}
