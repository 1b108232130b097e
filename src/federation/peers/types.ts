import type { Domain } from "../../protocol/address.js";

/** The members of a peer's discovery document that are used. */
export interface PeerDocument {
  /** The domain that was looked up. If the document names a server, it must be this domain. */
  server: Domain;
  /** The https URL of its federation interface, without a trailing slash. */
  federationUrl: string;
  /** The https URL of its public keys. */
  jwksUrl: string;
  federationEnabled: boolean;
  offers: PeerOffers;
}

/** What a peer accepts in deliveries beyond the specification. */
export interface PeerOffers {
  /** Whether messages of a delivery may share a ciphertext. */
  sharesCiphertexts: boolean;
  /** Whether ciphertexts may follow the JSON as bytes. */
  attachesCiphertexts: boolean;
  /** Whether messages may carry `dedup_tag`. */
  takesDedupTags: boolean;
  /** Whether messages may carry `system_event`. */
  takesSystemEvents: boolean;
  /** Whether messages may carry `expires_in_seconds`, and online-only messages are taken. */
  takesLifetimes: boolean;
  /** Whether it takes spam reports about its devices. */
  takesReports: boolean;
  /** Whether it answers requests for its commit slots. */
  answersSlots: boolean;
  /** Whether it answers claims of key packages. */
  givesKeyPackages: boolean;
  /** The most messages of a delivery; null if it names no number. */
  transactionMessages: number | null;
}

/** The answer of a peer with any status. `body` is the parsed JSON, null if it is empty, undefined if it is not JSON. */
export interface PeerAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: unknown;
  /** Whether the peer may have got the request before. */
  repeated?: boolean;
}

/** Why a peer could not be called. Each of these can be temporary, so each is worth another attempt. */
type PeerProblem =
  | "discovery" // no usable discovery document
  | "address" // the name does not resolve, or resolves to an address that is not allowed
  | "connection" // no connection, or a broken one
  | "certificate" // the certificate of the peer is not accepted
  | "timeout"
  | "answer" // an answer that is too large or malformed
  | "refused"; // the peer did not authenticate us; see `status` and `error`

/** The peer gave no answer to the requested operation. */
export class PeerError extends Error {
  readonly problem: PeerProblem;
  /**
   * The HTTP status of an answer that was not read, or that refused to authenticate us; in the second case also the
   * name of the error, if it looks like one of our catalogue.
   */
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
  /** Whether this server has a certificate. Without one every delivery fails. */
  isReady(): boolean;
  /** Whether peers accept this server's certificate, as far as it knows itself. Until then deliveries wait. */
  provesDomain(): boolean;
  /** The peer's discovery document, cached while it is fresh. Throws PeerError. */
  discover(domain: Domain): Promise<PeerDocument>;
  /** Looks the peer up and authenticates, so that a delivery can follow. Throws PeerError. */
  reach(domain: Domain): Promise<void>;
  /**
   * What the peer offers. The offered size of a transaction never exceeds the messages that it lets us deliver in a
   * minute. Authenticates as `deliver` does. Throws PeerError.
   */
  offers(domain: Domain): Promise<PeerOffers>;
  /**
   * Delivers a transaction. Authenticates first if there is no token or it expires soon. A token that the peer does not
   * accept is forgotten, so the next call authenticates again. Throws PeerError if there is no answer to the delivery
   * itself.
   */
  deliver(domain: Domain, transactionId: string, body: DeliveryBody): Promise<PeerAnswer>;
  /**
   * Asks a question; `origin_server` is added to the body. Authenticates as `deliver` does, and once more if the peer does not
   * accept the token. Throws PeerError.
   */
  ask(domain: Domain, question: PeerQuestion): Promise<PeerAnswer>;
}

/** A question to a peer, and how long its answer may be. */
export interface PeerQuestion {
  operation: "askSlot" | "claimKeyPackagesForPeer" | "pushOnlineMessages" | "forwardSpamReport";
  body: object;
  answerBytes: number;
  /** Is told how many bytes of the question and its answer have moved. */
  progressed?: (bytes: number) => void;
}

/** The body of a delivery. */
export interface DeliveryBody {
  bytes: Buffer;
  /** Whether ciphertexts follow the JSON. */
  attached: boolean;
}
