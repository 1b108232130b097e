// Made by `npm run generate` from spec/. Do not edit.
export interface CatalogueEntry {
  /** The name on the wire. */
  readonly error: string;
  readonly code: number;
  readonly status: number;
  readonly meaning: string;
  /** Members that a body of this error may carry besides error, message and code. */
  readonly extras: readonly string[];
  /** Response headers sent with it. */
  readonly headers: readonly string[];
  /** Whether `x-error` names the entry for a value of a wrong type as well. */
  readonly wrongTypes: boolean;
}

export const errorCatalogue = {
  INVALID_REQUEST: {"error":"INVALID_REQUEST","code":4000,"status":400,"meaning":"The request breaks the contract; details names each member at fault.","extras":["details","server_timestamp"],"headers":[],"wrongTypes":false},
  INVALID_SIGNATURE: {"error":"INVALID_SIGNATURE","code":4001,"status":403,"meaning":"The Ed25519 signature does not verify; details names the text to sign.","extras":["details"],"headers":[],"wrongTypes":false},
  INVALID_CERTIFICATE: {"error":"INVALID_CERTIFICATE","code":4001,"status":403,"meaning":"The federation certificate or the answer to the nonce is not accepted.","extras":[],"headers":[],"wrongTypes":false},
  DEVICE_NOT_ANNOUNCED: {"error":"DEVICE_NOT_ANNOUNCED","code":4002,"status":403,"meaning":"A stream was opened for a device without an active address.","extras":[],"headers":[],"wrongTypes":false},
  ADDRESS_NOT_FOUND: {"error":"ADDRESS_NOT_FOUND","code":4003,"status":404,"meaning":"The recipient address has no active mapping on this server.","extras":[],"headers":[],"wrongTypes":false},
  RATE_LIMIT_EXCEEDED: {"error":"RATE_LIMIT_EXCEEDED","code":4004,"status":429,"meaning":"A limit is used up. A blocked or banned device gets limit 0; reset_at is null for a block and the end of a ban.","extras":["limit","reset_at","retry_after"],"headers":["Retry-After"],"wrongTypes":false},
  INVALID_ADDRESS: {"error":"INVALID_ADDRESS","code":4005,"status":400,"meaning":"A malformed address or domain.","extras":[],"headers":[],"wrongTypes":false},
  FEDERATION_FAILED: {"error":"FEDERATION_FAILED","code":4006,"status":502,"meaning":"The remote server cannot be used for this message, commit slot or key package: it is blocked here or not on the allowlist, or it has no commit slots or key packages for other servers.","extras":[],"headers":[],"wrongTypes":false},
  SERVER_UNREACHABLE: {"error":"SERVER_UNREACHABLE","code":4007,"status":404,"meaning":"The server is not in the federation records.","extras":[],"headers":[],"wrongTypes":false},
  INVALID_TOKEN: {"error":"INVALID_TOKEN","code":4008,"status":401,"meaning":"A missing, malformed, expired or revoked token, or one of another kind.","extras":[],"headers":["WWW-Authenticate"],"wrongTypes":false},
  INFOPACKAGE_RATE_LIMIT: {"error":"INFOPACKAGE_RATE_LIMIT","code":4009,"status":429,"meaning":"The upload limit for info packages is used up.","extras":["retry_after"],"headers":["Retry-After"],"wrongTypes":false},
  INVALID_ADMIN: {"error":"INVALID_ADMIN","code":4010,"status":401,"meaning":"The device is not on the admin list, or its key did not sign the login.","extras":[],"headers":["WWW-Authenticate"],"wrongTypes":false},
  CHALLENGE_EXPIRED: {"error":"CHALLENGE_EXPIRED","code":4011,"status":410,"meaning":"The challenge is expired, unknown or used.","extras":[],"headers":[],"wrongTypes":false},
  INSUFFICIENT_PERMISSIONS: {"error":"INSUFFICIENT_PERMISSIONS","code":4012,"status":403,"meaning":"The admin lacks the permission that the operation asks for.","extras":[],"headers":[],"wrongTypes":false},
  INVALID_RATE_LIMIT: {"error":"INVALID_CONFIG","code":4012,"status":400,"meaning":"custom_rate_limit lies outside 0 to 1000.","extras":["details"],"headers":[],"wrongTypes":false},
  INVALID_CONFIG: {"error":"INVALID_CONFIG","code":4013,"status":400,"meaning":"A configuration value or an info-package bound is out of range or of a wrong type, or the configuration key is unknown.","extras":["details"],"headers":[],"wrongTypes":true},
  DEVICE_NOT_FOUND: {"error":"DEVICE_NOT_FOUND","code":4014,"status":404,"meaning":"The device is not registered here.","extras":[],"headers":[],"wrongTypes":false},
  MESSAGE_TOO_LARGE: {"error":"MESSAGE_TOO_LARGE","code":4015,"status":413,"meaning":"The decoded ciphertext or the body is over its limit.","extras":[],"headers":[],"wrongTypes":false},
  NOT_FOUND: {"error":"NOT_FOUND","code":4016,"status":404,"meaning":"There is no such resource or route.","extras":["details"],"headers":[],"wrongTypes":false},
  INFOPACKAGE_EXHAUSTED: {"error":"INFOPACKAGE_EXHAUSTED","code":4017,"status":410,"meaning":"All uses of the info package are consumed.","extras":[],"headers":[],"wrongTypes":false},
  UNAUTHORIZED: {"error":"UNAUTHORIZED","code":4018,"status":403,"meaning":"Not the uploader, or a wrong revocation, poll, upload or delete token.","extras":[],"headers":[],"wrongTypes":false},
  INVALID_PROOF: {"error":"INVALID_PROOF","code":4019,"status":403,"meaning":"The delay proof is missing or not accepted; the message says why.","extras":["details"],"headers":[],"wrongTypes":false},
  IP_BANNED: {"error":"IP_BANNED","code":4020,"status":403,"meaning":"A wrong proof came from this network address; challenges and first announcements are refused until reset_at.","extras":["reset_at"],"headers":[],"wrongTypes":false},
  ADDRESS_LIMIT: {"error":"ADDRESS_LIMIT","code":4021,"status":409,"meaning":"The device holds as many active addresses as it may.","extras":[],"headers":[],"wrongTypes":false},
  ADDRESS_TAKEN: {"error":"ADDRESS_TAKEN","code":4022,"status":409,"meaning":"The prefix belongs to another device.","extras":[],"headers":[],"wrongTypes":false},
  REGISTRATION_CLOSED: {"error":"REGISTRATION_CLOSED","code":4023,"status":403,"meaning":"Registration is off, or an invite is required, used up or not trusted.","extras":[],"headers":[],"wrongTypes":false},
  NO_KEY_PACKAGES: {"error":"NO_KEY_PACKAGES","code":4024,"status":404,"meaning":"The device has no key package left.","extras":[],"headers":[],"wrongTypes":false},
  SERVER_BLOCKED: {"error":"SERVER_BLOCKED","code":4025,"status":403,"meaning":"The federation request comes from a server that is blocked or not on the allowlist.","extras":[],"headers":[],"wrongTypes":false},
  METHOD_NOT_ALLOWED: {"error":"METHOD_NOT_ALLOWED","code":4026,"status":405,"meaning":"The path exists, the method does not.","extras":["details"],"headers":["Allow"],"wrongTypes":false},
  UNSUPPORTED_MEDIA_TYPE: {"error":"UNSUPPORTED_MEDIA_TYPE","code":4027,"status":415,"meaning":"A body must be application/json, in UTF-8; a part of a blob must be application/octet-stream.","extras":[],"headers":[],"wrongTypes":false},
  CONFLICT: {"error":"CONFLICT","code":4028,"status":409,"meaning":"The state does not allow the request.","extras":[],"headers":[],"wrongTypes":false},
  SLOT_EXPIRED: {"error":"SLOT_EXPIRED","code":4031,"status":410,"meaning":"The commit slot was taken, and its content is kept no longer.","extras":[],"headers":[],"wrongTypes":false},
  SLOTS_RESTARTED: {"error":"SLOTS_RESTARTED","code":4032,"status":410,"meaning":"The request names a slot key that is not this server's: the server was restored from a backup, or never had that key.","extras":[],"headers":[],"wrongTypes":false},
  PUSH_ENDPOINT_REFUSED: {"error":"PUSH_ENDPOINT_REFUSED","code":4036,"status":400,"meaning":"Nothing is pushed to this endpoint: its host is not a name, does not resolve, or lies on a private network, or its port is not allowed.","extras":["details"],"headers":[],"wrongTypes":false},
  PUSH_CODE_WRONG: {"error":"PUSH_CODE_WRONG","code":4037,"status":403,"meaning":"The code is not the one that was last pushed to the endpoint, or it has expired.","extras":[],"headers":[],"wrongTypes":false},
  REQUEST_TIMEOUT: {"error":"REQUEST_TIMEOUT","code":4040,"status":408,"meaning":"The request stopped arriving, or arrived too slowly; try again after Retry-After seconds.","extras":[],"headers":["Retry-After"],"wrongTypes":false},
  DIGEST_MISMATCH: {"error":"DIGEST_MISMATCH","code":4060,"status":400,"meaning":"The part of a blob does not have the digest that its header names: send it again.","extras":[],"headers":[],"wrongTypes":false},
  RANGE_NOT_SATISFIABLE: {"error":"RANGE_NOT_SATISFIABLE","code":4061,"status":416,"meaning":"The range lies behind the end of the blob, whose size Content-Range names.","extras":[],"headers":["Content-Range"],"wrongTypes":false},
  INTERNAL: {"error":"INTERNAL","code":5000,"status":500,"meaning":"A fault of the server; request_id finds it in the log.","extras":["request_id"],"headers":[],"wrongTypes":false},
  OVERLOADED: {"error":"OVERLOADED","code":5001,"status":503,"meaning":"A bounded queue of the server is full; try again after Retry-After seconds.","extras":["reason"],"headers":["Retry-After"],"wrongTypes":false},
  DATABASE_UNAVAILABLE: {"error":"DATABASE_UNAVAILABLE","code":5002,"status":503,"meaning":"The database does not answer; try again after Retry-After seconds.","extras":[],"headers":["Retry-After"],"wrongTypes":false},
  PEER_UNAVAILABLE: {"error":"PEER_UNAVAILABLE","code":5005,"status":503,"meaning":"The other server has not given an answer that can be used. It may have done what was asked: repeat the same request after Retry-After seconds.","extras":[],"headers":["Retry-After"],"wrongTypes":false},
  FEDERATION_DISABLED: {"error":"FEDERATION_DISABLED","code":5003,"status":503,"meaning":"Federation is switched off on this server, or, where a message is sent to another one, this server has no certificate to show there.","extras":[],"headers":[],"wrongTypes":false},
  PUSH_DISABLED: {"error":"PUSH_DISABLED","code":5008,"status":503,"meaning":"Wake-up pushes are switched off on this server.","extras":[],"headers":[],"wrongTypes":false},
  BLOBS_DISABLED: {"error":"BLOBS_DISABLED","code":5060,"status":503,"meaning":"This server stores no blobs.","extras":[],"headers":[],"wrongTypes":false},
  QUEUE_FULL: {"error":"QUEUE_FULL","code":5004,"status":507,"meaning":"The recipient's queue, the outbox to its server, or the space for blobs, for commit slots or for info packages without an uploader is at its limit.","extras":["details"],"headers":[],"wrongTypes":false},
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorId = keyof typeof errorCatalogue;

/** The HTTP status of each name on the wire: for clients, which do without the rest. */
export const errorStatuses = {"INVALID_REQUEST":400,"INVALID_SIGNATURE":403,"INVALID_CERTIFICATE":403,"DEVICE_NOT_ANNOUNCED":403,"ADDRESS_NOT_FOUND":404,"RATE_LIMIT_EXCEEDED":429,"INVALID_ADDRESS":400,"FEDERATION_FAILED":502,"SERVER_UNREACHABLE":404,"INVALID_TOKEN":401,"INFOPACKAGE_RATE_LIMIT":429,"INVALID_ADMIN":401,"CHALLENGE_EXPIRED":410,"INSUFFICIENT_PERMISSIONS":403,"INVALID_CONFIG":400,"DEVICE_NOT_FOUND":404,"MESSAGE_TOO_LARGE":413,"NOT_FOUND":404,"INFOPACKAGE_EXHAUSTED":410,"UNAUTHORIZED":403,"INVALID_PROOF":403,"IP_BANNED":403,"ADDRESS_LIMIT":409,"ADDRESS_TAKEN":409,"REGISTRATION_CLOSED":403,"NO_KEY_PACKAGES":404,"SERVER_BLOCKED":403,"METHOD_NOT_ALLOWED":405,"UNSUPPORTED_MEDIA_TYPE":415,"CONFLICT":409,"SLOT_EXPIRED":410,"SLOTS_RESTARTED":410,"PUSH_ENDPOINT_REFUSED":400,"PUSH_CODE_WRONG":403,"REQUEST_TIMEOUT":408,"DIGEST_MISMATCH":400,"RANGE_NOT_SATISFIABLE":416,"INTERNAL":500,"OVERLOADED":503,"DATABASE_UNAVAILABLE":503,"PEER_UNAVAILABLE":503,"FEDERATION_DISABLED":503,"PUSH_DISABLED":503,"BLOBS_DISABLED":503,"QUEUE_FULL":507} as const;

export type ErrorName = keyof typeof errorStatuses;
