// Made by `npm run generate` from spec/asyncapi.yaml. Do not edit.
import type { Shape } from "./answer-shapes.js";
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export type components = {
    schemas: {
        /** @description The answer to an ack_batch frame. */
        AckBatchConfirmedFrame: {
            acknowledged_count: number;
            /** @description Entries that removed nothing, for example because the message had expired or the id is malformed. */
            failed_count: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ack_batch_confirmed";
        };
        /** @description Acknowledges several messages. */
        AckBatchFrame: {
            /** @description Each entry removes one message; an id that occurs twice removes two if two are queued, and one that is no UUIDv7 removes nothing. */
            message_ids: string[];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ack_batch";
        };
        /** @description The answer to an ack frame. */
        AckConfirmedFrame: {
            /** @description Whether a message was removed. False means that none with this id is queued for the device. */
            acknowledged: boolean;
            message_id: components["schemas"]["MessageId"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ack_confirmed";
        };
        /** @description Acknowledges one message. */
        AckFrame: {
            message_id: components["schemas"]["MessageId"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ack";
        };
        /** @description Authenticates the stream, or switches to a newer token. */
        AuthFrame: {
            /** @description The device access token of an announcement or a refresh. */
            access_token: string;
            /**
             * Format: int64
             * @description The greatest frame that the client takes, in bytes. A message whose frame would be larger is not pushed but announced by a status frame with `large_message`. Left out of the first auth frame, everything is pushed; left out of a later one, it stays as it is.
             */
            max_frame_bytes?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "auth";
            /** @description How many messages the server may push ahead of their acknowledgements; 10 if left out of the first auth frame. A server may grant less (`stream.max_window` in `/.well-known/svc`); the answer says how many. Left out of a later auth frame, it stays as it is. */
            window?: number;
        };
        /** @description Bytes in base64, standard alphabet, padded and canonical (RFC 4648, section 4). */
        Base64Text: string;
        /** @description A message in a batch, or in a frame of the stream. Its members mean what they mean in a single message. Only their types are checked with the request or frame; a value for which a single message would be refused rejects this message alone. */
        BatchMessage: {
            /**
             * Format: int64
             * @description How long the message is kept, as in a single message.
             */
            expires_in_seconds?: number;
            /** @description A UUIDv7, with hyphens or as 32 hex characters. */
            message_id: string;
            /** @description The MLS ciphertext in base64, padded and canonical. */
            mls_ciphertext: string;
            /** @description A delivery address, `<prefix>@<domain>`. */
            recipient_address: string;
            /** @description The signature as text of at most 512 printable ASCII characters. */
            sender_signature: string;
            system_event?: components["schemas"]["BatchSystemEvent"];
            /**
             * Format: int64
             * @description When the message was made, in Unix seconds by the sender's clock.
             */
            timestamp: number;
        };
        /** @description The system event of a message in a batch; its values are checked with the message. */
        BatchSystemEvent: {
            /** @description The name of an event, as in a single message. */
            event: string;
            /** @description The group extension that the event is about. */
            extension_type?: string | null;
        };
        /**
         * @description A UUIDv7 with hyphens, in lower case.
         * @example 0193a5f0-7b1c-7c3e-9d52-4f6a8b0c1d2e
         */
        CanonicalMessageId: string;
        /** @description Any frame that a client sends. */
        ClientFrame: components["schemas"]["AuthFrame"] | components["schemas"]["AckFrame"] | components["schemas"]["AckBatchFrame"] | components["schemas"]["SendFrame"] | components["schemas"]["PingFrame"];
        /**
         * @description `immediate`: the recipient has a stream open and does not hide it. `delayed`: the recipient may be offline, or the message had been accepted before.
         * @enum {string}
         */
        DeliveryEstimate: "immediate" | "delayed";
        /** @description Something is wrong; the stream may end after it. */
        ErrorFrame: {
            /** @description The code in the error catalogue. */
            code: number;
            /** @description With INVALID_REQUEST, what is wrong with the frame. */
            details?: components["schemas"]["FrameFault"][];
            /** @description The name in the error catalogue. */
            error: string;
            /** @description With RATE_LIMIT_EXCEEDED, how much is allowed. */
            limit?: number;
            /** @description For people, not for programs. */
            message: string;
            /** @description With a failed ack, the message that is still queued. Acknowledge it again after retry_after. */
            message_id?: string;
            /** @description With a failed ack_batch, its messages; ids that are malformed are left out. Acknowledge them again after retry_after, in one frame or several. More than one such frame comes if `max_frame_bytes` is too small for all ids. */
            message_ids?: components["schemas"]["CanonicalMessageId"][];
            /** @description With RATE_LIMIT_EXCEEDED, when the limit is reset, in Unix seconds; null if that is not known. */
            reset_at?: number | null;
            /** @description Seconds to wait before trying again. */
            retry_after?: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "error";
        };
        /** @description One member of the frame at fault. */
        FrameFault: {
            /** @description What is wrong with it. */
            message: string;
            /** @description The member at fault as a JSON pointer; empty for the frame itself. */
            path: string;
        };
        /** @description A queued message whose frame would be larger than the client's `max_frame_bytes`. It counts as pushed. Read it with GET /v1/messages, and acknowledge it there or here. */
        LargeMessage: {
            /**
             * Format: int64
             * @description The bytes that its frame would have.
             */
            frame_bytes: number;
            message_id: components["schemas"]["CanonicalMessageId"];
        };
        /** @description A queued message. Nothing in it identifies the sender. */
        MessageData: {
            message_id: components["schemas"]["CanonicalMessageId"];
            mls_ciphertext: components["schemas"]["Base64Text"];
            /** @description True for an online-only message (`expires_in_seconds` 0). It is in no queue, so it needs no acknowledgement. Left out otherwise. */
            online?: boolean;
            received_at: components["schemas"]["Timestamp"];
            sender_signature: components["schemas"]["SenderSignature"];
            timestamp: components["schemas"]["Timestamp"];
        };
        /** @description A queued message. */
        MessageFrame: {
            data: components["schemas"]["MessageData"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "message";
        };
        /**
         * @description A UUIDv7, with hyphens or as 32 hex characters.
         * @example 0193a5f0-7b1c-7c3e-9d52-4f6a8b0c1d2e
         */
        MessageId: string;
        /**
         * @description `queued` and `federated` as in a single message. `rejected`: nothing was stored; `error` and `code` say why. With RATE_LIMIT_EXCEEDED, `limit`, `reset_at` and `retry_after` are those of a single message's error.
         * @enum {string}
         */
        MessageOutcome: "queued" | "federated" | "rejected";
        /** @description Asks for a status frame. */
        PingFrame: {
            /**
             * Format: int64
             * @description The client's clock, in seconds or milliseconds; the server does not interpret it.
             */
            timestamp: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ping";
        };
        /**
         * Format: int64
         * @description The limit that was reached; 0 for a device that may send nothing.
         * @example 60
         */
        RateLimit: number;
        /**
         * Format: int64
         * @description Unix seconds when the limit or the ban ends; null if it does not expire.
         * @example 1767229200
         */
        ResetAt: number | null;
        /**
         * Format: int64
         * @description Seconds to wait before the next attempt.
         * @example 1200
         */
        RetryAfter: number;
        /** @description The sender's Ed25519 signature over the ciphertext, by convention as 128 hex characters or as padded base64. The relay never verifies it: it takes any printable ASCII text, stores it with the message and forwards it exactly as sent. It is good for recipients who can check it before they decrypt: members of a group who sign with a key that they all derive from the epoch (MLS-Exporter) see that a member wrote the message, and drop what strangers send. It does not prove the sender, whom MLS proves inside the ciphertext, and nobody need check it. Never sign with the device's key or that of an MLS leaf: it would name the sender, because the relay stores both. Without a key of the epoch, make a new key pair for each message, or send 64 random bytes. */
        SenderSignature: string;
        /** @description Sends a message. */
        SendFrame: {
            message: components["schemas"]["BatchMessage"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "send";
        };
        /** @description The answer to a send frame, which is told apart by the id and the recipient of its message. */
        SendResultFrame: {
            /** @description The code in the error catalogue. */
            code?: number;
            delivery_estimate?: components["schemas"]["DeliveryEstimate"];
            /** @description With INVALID_REQUEST, which member is wrong. */
            details?: components["schemas"]["FrameFault"][];
            /** @description The name in the error catalogue. */
            error?: string;
            limit?: components["schemas"]["RateLimit"];
            /** @description For people, not for programs. */
            message?: string;
            /** @description The message's id as it was sent (with U+FFFD in place of characters that text cannot contain). */
            message_id: string;
            /** @description As it was sent, with the same exception. Left out if the frame had none. */
            recipient_address?: string;
            reset_at?: components["schemas"]["ResetAt"];
            retry_after?: components["schemas"]["RetryAfter"];
            status: components["schemas"]["MessageOutcome"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "send_result";
        };
        /** @description Any frame that the server sends. */
        ServerFrame: components["schemas"]["StatusFrame"] | components["schemas"]["MessageFrame"] | components["schemas"]["SystemFrame"] | components["schemas"]["AckConfirmedFrame"] | components["schemas"]["AckBatchConfirmedFrame"] | components["schemas"]["SendResultFrame"] | components["schemas"]["ErrorFrame"];
        /** @description The state of the stream. */
        StatusFrame: {
            /** @description Key packages that the server still stores for the device. Sent in the first status frame, and again after a change while fewer than 20 remain; the device then uploads new ones. */
            key_packages_remaining?: number;
            large_message?: components["schemas"]["LargeMessage"];
            /** @description How many send frames the server works on at once for this stream; it reads further ones when one of them has its result. In the answer to an auth frame; left out by a server that takes no send frames. */
            max_sends_in_flight?: number;
            /** @description Seconds between two polls of GET /v1/messages for a client that cannot keep a stream open. */
            next_poll_fallback: number;
            /** @description True if everything that was pushed has been acknowledged and nothing is waiting; left out otherwise. */
            queue_empty?: boolean;
            /** @description Seconds to wait before the next connection; random per stream, so that clients do not all reconnect at once. */
            retry_after?: number;
            server_timestamp: components["schemas"]["Timestamp"];
            status: components["schemas"]["StreamStatus"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "status";
            /** @description How many messages the server pushes ahead of their acknowledgements. In the answer to an auth frame. */
            window?: number;
        };
        /**
         * @description connected: the stream is authenticated and open. reconnecting: the server is about to close the stream, and the client opens a new one after retry_after. disconnected: the stream ends and the client does not reconnect automatically.
         * @enum {string}
         */
        StreamStatus: "connected" | "reconnecting" | "disconnected";
        /** @description All members of a message, so that the event is acknowledged like one, and the kind of extension. */
        SystemData: {
            /** @description The group extension that the event is about, as its sender named it. */
            extension_type?: string | null;
            message_id: components["schemas"]["CanonicalMessageId"];
            mls_ciphertext: components["schemas"]["Base64Text"];
            /** @description True for an online-only message (`expires_in_seconds` 0). It is in no queue, so it needs no acknowledgement. Left out otherwise. */
            online?: boolean;
            received_at: components["schemas"]["Timestamp"];
            sender_signature: components["schemas"]["SenderSignature"];
            timestamp: components["schemas"]["Timestamp"];
        };
        /**
         * @description What the ciphertext is about, as the sender states it.
         * @enum {string}
         */
        SystemEventName: "group_extension_updated" | "member_added" | "member_removed" | "epoch_change" | "address_rotation";
        /** @description A queued message with a system event. */
        SystemFrame: {
            data: components["schemas"]["SystemData"];
            event: components["schemas"]["SystemEventName"];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "system";
        };
        /**
         * Format: int64
         * @description Unix time in seconds.
         * @example 1767225600
         */
        Timestamp: number;
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
};
export type AckBatchConfirmedFrame = components['schemas']['AckBatchConfirmedFrame'];
export type AckBatchFrame = components['schemas']['AckBatchFrame'];
export type AckConfirmedFrame = components['schemas']['AckConfirmedFrame'];
export type AckFrame = components['schemas']['AckFrame'];
export type AuthFrame = components['schemas']['AuthFrame'];
export type Base64Text = components['schemas']['Base64Text'];
export type BatchMessage = components['schemas']['BatchMessage'];
export type BatchSystemEvent = components['schemas']['BatchSystemEvent'];
export type CanonicalMessageId = components['schemas']['CanonicalMessageId'];
export type ClientFrame = components['schemas']['ClientFrame'];
export type DeliveryEstimate = components['schemas']['DeliveryEstimate'];
export type ErrorFrame = components['schemas']['ErrorFrame'];
export type FrameFault = components['schemas']['FrameFault'];
export type LargeMessage = components['schemas']['LargeMessage'];
export type MessageData = components['schemas']['MessageData'];
export type MessageFrame = components['schemas']['MessageFrame'];
export type MessageId = components['schemas']['MessageId'];
export type MessageOutcome = components['schemas']['MessageOutcome'];
export type PingFrame = components['schemas']['PingFrame'];
export type RateLimit = components['schemas']['RateLimit'];
export type ResetAt = components['schemas']['ResetAt'];
export type RetryAfter = components['schemas']['RetryAfter'];
export type SenderSignature = components['schemas']['SenderSignature'];
export type SendFrame = components['schemas']['SendFrame'];
export type SendResultFrame = components['schemas']['SendResultFrame'];
export type ServerFrame = components['schemas']['ServerFrame'];
export type StatusFrame = components['schemas']['StatusFrame'];
export type StreamStatus = components['schemas']['StreamStatus'];
export type SystemData = components['schemas']['SystemData'];
export type SystemEventName = components['schemas']['SystemEventName'];
export type SystemFrame = components['schemas']['SystemFrame'];
export type Timestamp = components['schemas']['Timestamp'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;

/** The path of the stream. */
export const streamPath = "/v1/stream";

/** Why the server closes a stream: WebSocket close codes and reasons. */
export const closeCodes = {
  "goingAway": {
    "code": 1012,
    "reason": "reconnect later",
    "meaning": "The server drains or the stream reached its longest duration."
  },
  "unavailable": {
    "code": 1013,
    "reason": "try again later",
    "meaning": "The server could not open the stream, or check a newer token, just now."
  },
  "outsideContract": {
    "code": 4000,
    "reason": "too many frames outside the contract",
    "meaning": "The tenth frame outside the contract."
  },
  "notAnnounced": {
    "code": 4002,
    "reason": "device not announced",
    "meaning": "The device holds no active address."
  },
  "invalidToken": {
    "code": 4008,
    "reason": "no valid token",
    "meaning": "No auth frame in time, or a bad, expired or revoked token."
  },
  "replaced": {
    "code": 4009,
    "reason": "replaced by a newer stream",
    "meaning": "A newer stream of the device took over."
  },
  "tooSlow": {
    "code": 4013,
    "reason": "the client reads too slowly",
    "meaning": "Nothing could be written to the socket for too long, or too many messages wait behind a paused stream."
  },
  "tooManyReplacements": {
    "code": 4029,
    "reason": "too many replacements",
    "meaning": "The device opened too many streams within a minute."
  },
  "tooManyRefusals": {
    "code": 4030,
    "reason": "too many refused frames",
    "meaning": "The stream went on sending what is refused."
  }
} as const;

/** Members of the client's frames that may be left out, and for which null means nothing else. */
export const optionalMembers: readonly string[] = ["window","max_frame_bytes","system_event","expires_in_seconds"];

/** The shapes of the server's frames, by type. */
export const frameShapes = {
  status: { type: "s", status: "s", server_timestamp: "n", next_poll_fallback: "n", "retry_after?": "n", "queue_empty?": "b", "key_packages_remaining?": "n", "window?": "n", "max_sends_in_flight?": "n", "large_message?": { message_id: "s", frame_bytes: "n" } },
  message: { type: "s", data: { message_id: "s", mls_ciphertext: "s", sender_signature: "s", timestamp: "n", received_at: "n", "online?": "b" } },
  system: { type: "s", event: "s", data: { message_id: "s", mls_ciphertext: "s", sender_signature: "s", timestamp: "n", received_at: "n", "online?": "b", "extension_type?": "x" } },
  ack_confirmed: { type: "s", message_id: "s", acknowledged: "b" },
  ack_batch_confirmed: { type: "s", acknowledged_count: "n", failed_count: "n" },
  send_result: { type: "s", message_id: "s", "recipient_address?": "s", status: "s", "delivery_estimate?": "s", "error?": "s", "message?": "s", "code?": "n", "limit?": "n", "reset_at?": "x", "retry_after?": "n", "details?": [{ path: "s", message: "s" }] },
  error: { type: "s", error: "s", message: "s", code: "n", "limit?": "n", "reset_at?": "x", "retry_after?": "n", "details?": [{ path: "s", message: "s" }], "message_id?": "s", "message_ids?": ["s"] },
} as const satisfies Record<ServerFrame["type"], Shape>;
