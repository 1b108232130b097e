import type { Domain } from "../../protocol/address.js";

/** What a peer's discovery document says, as far as it is used. */
export interface PeerDocument {
  /** The domain that was asked, which the document must name. */
  server: Domain;
  /** Where its federation interface is: an https URL without a slash at its end. */
  federationUrl: string;
  /** Where its public keys are. */
  jwksUrl: string;
  federationEnabled: boolean;
}

/** The answer of a peer, whatever its status. `body` is the parsed JSON, undefined where it is none. */
export interface PeerAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: unknown;
}

/** What stands between us and a peer. All of it may pass by itself, so all of it is worth another attempt. */
export type PeerProblem =
  | "discovery" // no usable discovery document
  | "address" // the name leads nowhere, or where no peer may be
  | "connection" // no connection, or broken off
  | "certificate" // the peer shows a certificate that is not accepted
  | "timeout"
  | "answer" // an answer too large, or nothing that can be understood
  | "refused"; // the peer did not accept our authentication; `status` and `error` say how

/** No answer of the operation that was asked for. */
export class PeerError extends Error {
  readonly problem: PeerProblem;
  /** Where the peer refused to authenticate us: the HTTP status and the catalogue name it gave. */
  readonly status: number | undefined;
  readonly error: string | undefined;

  constructor(
    problem: PeerProblem,
    message: string,
    about: { status?: number; error?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.name = "PeerError";
    this.problem = problem;
    this.status = about.status;
    this.error = about.error;
  }
}

/** Our calls to peers. Each is counted for the peer's uptime and response time. */
export interface PeerCalls {
  /** Whether we have a certificate to show; without one every delivery fails. */
  isReady(): boolean;
  /** The peer's discovery document, from memory while it is fresh. Throws PeerError. */
  discover(domain: Domain): Promise<PeerDocument>;
  /** Finds the peer and authenticates, so that a delivery can follow. Throws PeerError where that fails. */
  reach(domain: Domain): Promise<void>;
  /**
   * Delivers a transaction, `body` being its JSON as bytes. Authenticates first where we have no token, or one that
   * ends soon. A token that the peer answers with 401 is forgotten, so that the next call authenticates anew. Throws
   * PeerError where there is no answer to the delivery itself.
   */
  deliver(domain: Domain, transactionId: string, body: Buffer): Promise<PeerAnswer>;
}
