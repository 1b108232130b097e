// Made by `npm run generate` from spec/. Do not edit.
export interface paths {
    "/api/v1/announce/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a challenge for a first announcement, without a body
         * @description The same as the POST, with the key in the query. Each call makes a new challenge and is counted.
         */
        get: operations["getRegistrationChallenge"];
        put?: never;
        /**
         * Get a challenge for a first announcement
         * @description A device that this server does not know asks for a challenge, hashes it as often as `iterations` says, and sends the result with its first announcement. The more devices have registered in the last hour, the more iterations are asked for: four times as many above 1000, eight times above 1500, sixteen times above 2000, at most 80,000,000. Several challenges of one key may be open. A network address gets 10 challenges an hour.
         */
        post: operations["createRegistrationChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/announce": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a device, or get a further address for a known one
         * @description The server makes a random address prefix for the device and answers with the address and an access token. A known
         *     device needs no proof and gets a further address each time.
         *
         *     A device's first announcement needs one of: a proof of delay in `vdf_proof`; an `invite_code`, where invites are
         *     accepted; a `challenge` of its own that is old enough, where the server allows waiting. In the modes `invite_only`
         *     and `federation_allowlist` only an invite will do. A server that asks for no proof takes open registrations without
         *     any of them.
         *
         *     What is checked, in this order: the device id; for an unknown device whether registration is open, bans, and 3 first
         *     announcements an hour and 10 a day from one network address, counted before the proof is looked at; the challenge
         *     and the proof, of which a wrong output bans the network address for 24 hours; the signature and the timestamp; the
         *     limits of the device: 100 active addresses, 5 new ones a day, 3 announcements an hour. A challenge is used up once
         *     its proof is accepted, unless the announcement then fails on the limits of the device.
         */
        post: operations["announceWithProof"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/device/announce": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take or renew addresses of the device's own choosing
         * @description Makes each prefix an address of the device at this server's domain for 24 hours and answers with an access token.
         *     A prefix that the device already holds is renewed. An address that has lapsed stays its device's, so that nobody
         *     else can take it over.
         *
         *     A device that the server does not know registers by this announcement. It needs the same as a first announcement
         *     at `/api/v1/announce`, and is checked in the same order.
         *
         *     Prefixes are taken all or none. A device may have 10 active addresses in this flow, 5 new ones a day and 3
         *     announcements an hour; both flows count together.
         */
        post: operations["announceDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a new access token before the old one expires
         * @description The new token belongs to the same session and expires after 24 hours, though never later than 7 days after the announcement that began the session. No address is renewed. The old token stays valid until it expires.
         */
        post: operations["refreshDeviceToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/svc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What this relay is and offers
         * @description Clients and other relays read this document first. It names the relay's domain and addresses, the versions it speaks, its capabilities and limits, and where its contracts and keys are.
         */
        get: operations["getDiscovery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The public keys of this relay's tokens
         * @description A JSON Web Key Set (RFC 7517). It holds every key whose tokens this relay still accepts, the one it signs with first.
         */
        get: operations["getSigningKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process is up
         * @description Answers as long as the process runs, and tells nothing else.
         */
        get: operations["getHealthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the relay takes requests
         * @description Ready means that the database is reachable and migrated, the clock is sound, and the process is not stopping. While it is not ready the answer is a 503.
         */
        get: operations["getReadyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the queue
         * @description The oldest messages of the calling device, in the order in which the relay took them in. Messages stay queued until
         *     they are acknowledged or expire, so the next poll returns them again. Acknowledge a message once it is decrypted
         *     and stored, and only then.
         *
         *     A page ends at `limit`, or earlier where the ciphertexts in it come to 16 MiB; it holds at least one message if
         *     there is any. Polls of one device are answered one after the other.
         */
        get: operations["pollMessages"];
        put?: never;
        /**
         * Send a message
         * @description Hands one encrypted message to the relay. The relay answers once the message is stored for good: after a 202 it is
         *     delivered or expires, whatever happens to the server. The sender's identity is used for the sending limit and to
         *     recognise repetitions; it is neither stored with the message nor told to the recipient.
         *
         *     A message is known by its sender, its id and its recipient. Sending the same one again within the retention period
         *     is answered like the first time, stores nothing and does not count against the limit: repeat a request whose answer
         *     was lost. One id may be sent to several recipients.
         *
         *     A sender has a fixed window that begins with the first message counted in it. Only accepted messages count.
         *     Repetitions and unknown recipients have a window of their own, three times as large.
         */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send up to 100 messages
         * @description Sends several messages in one request. Each is judged for itself, in order, and has a status of its own: a bad one
         *     is `rejected` and the others go on, so the answer is 202 even where every message is rejected. Only a request whose
         *     shape is wrong (a member missing or of the wrong type, more than 100 messages) is refused as a whole.
         *
         *     The rules for each message are those of the single message.
         */
        post: operations["sendMessageBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/ack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge several messages
         * @description Removes one message of the calling device's queue per listed id, as if each were acknowledged by itself. An id that
         *     is not queued, because it expired or was acknowledged before, is counted in `failed_count` and does no harm.
         */
        post: operations["acknowledgeMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/{message_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Acknowledge a message
         * @description Removes the message from the calling device's queue for good. Where two senders used the same id, one
         *     acknowledgement removes one message, the oldest. A message that is not there is no error: `acknowledged` is false
         *     then.
         */
        delete: operations["acknowledgeMessage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A signed token (JWS, compact form). Send it as it is, and do not read it. */
        AccessToken: string;
        /** @description The outcome of an acknowledgement. */
        AcknowledgeMessageResponse: {
            /** @description Whether a message was removed; false where none with this id is queued. */
            acknowledged: boolean;
        };
        /** @description Ids of messages that are decrypted and stored. */
        AcknowledgeMessagesRequest: {
            /** @description An id that is listed twice removes two messages where two are queued. */
            message_ids: components["schemas"]["MessageId"][];
        };
        /** @description The outcome of several acknowledgements. */
        AcknowledgeMessagesResponse: {
            /**
             * Format: int64
             * @description Messages that were removed.
             */
            acknowledged_count: number;
            /**
             * Format: int64
             * @description Entries that removed nothing, because the message had expired or was not there.
             */
            failed_count: number;
        };
        /**
         * @description A delivery address, `<prefix>@<domain>`. The prefix is 16 bytes as 32 hex characters or as a UUID; the domain is a host name, with a port where it is not the usual one.
         * @example 2f1c6f1e-9a53-4c0e-8d0b-6d1f0c7a3b52@relay.example
         */
        Address: string;
        AnnounceDeviceRequest: {
            device_id: components["schemas"]["DeviceId"];
            /** @description The prefixes to take or to renew: all of them, or none when one cannot be had. No two may be the same bytes. */
            delivery_address_prefixes: components["schemas"]["AnnouncedPrefix"][];
            /** @description By the device's key over the UTF-8 text `<device_id>.<prefixes joined by commas>.<timestamp>`, as sent; followed by a newline and the audience where one is sent. */
            signature: components["schemas"]["Signature"];
            /** @description When the request was signed, at most 300 seconds ago and 60 seconds ahead. */
            timestamp: components["schemas"]["Timestamp"];
            storage_preferences?: components["schemas"]["StoragePreferences"];
            /** @description Needed on the first announcement of a device that spells its id as the hash. The id must be this key or its BLAKE3-256 hash. */
            public_key?: components["schemas"]["PublicKey"];
            vdf_proof?: components["schemas"]["DelayProof"];
            /** @description In place of a proof, where the server allows it, a challenge of this key that is old enough. */
            challenge?: components["schemas"]["Challenge"];
            invite_code?: components["schemas"]["InviteCode"];
            audience?: components["schemas"]["Audience"];
            /**
             * @description Ends all other sessions of the device.
             * @default false
             */
            revoke_others?: boolean;
        };
        AnnounceDeviceResponse: {
            /** @enum {string} */
            status: "success";
            device_id: components["schemas"]["DeviceId"];
            /** @description The addresses taken, in the order of the request. */
            announced_addresses: components["schemas"]["Address"][];
            access_token: components["schemas"]["AccessToken"];
            /** @description When the access token expires. */
            expires_at: components["schemas"]["Timestamp"];
            server_capabilities: components["schemas"]["ServerCapabilities"];
        };
        AnnounceWithProofRequest: {
            /** @description The BLAKE3-256 hash of the raw public key, as 64 hex characters. No other spelling is accepted here. */
            device_id: string;
            public_key: components["schemas"]["PublicKey"];
            /** @description By the device's key over the UTF-8 text `<device_id>:<timestamp>`, as sent; followed by a newline and the audience where one is sent. */
            signature: components["schemas"]["Signature"];
            /** @description When the request was signed, at most 300 seconds ago and 60 seconds ahead. */
            timestamp: components["schemas"]["Timestamp"];
            vdf_proof?: components["schemas"]["DelayProof"];
            /** @description In place of a proof, where the server allows it, a challenge of this key that is old enough. */
            challenge?: components["schemas"]["Challenge"];
            invite_code?: components["schemas"]["InviteCode"];
            audience?: components["schemas"]["Audience"];
            /**
             * @description Ends all other sessions of the device.
             * @default false
             */
            revoke_others?: boolean;
            storage_preferences?: components["schemas"]["StoragePreferences"];
        };
        AnnounceWithProofResponse: {
            /** @enum {string} */
            status: "success";
            device_id: components["schemas"]["DeviceId"];
            delivery_address: components["schemas"]["DeliveryAddress"];
            access_token: components["schemas"]["AccessToken"];
            /** @description When the access token expires. */
            expires_at: components["schemas"]["Timestamp"];
        };
        /** @description 16 bytes as 32 hex characters or as a UUID. The address is given out in the spelling that was announced last, in lower case. */
        AnnouncedPrefix: string;
        /** @description This server's domain. Where it is sent, a newline and the audience, as sent, follow the text that is signed. Send it: without it, whoever receives the request can replay it to another server. */
        Audience: string;
        /** @description Bytes in base64, standard alphabet, padded and canonical (RFC 4648, section 4). */
        Base64: string;
        /** @description A message in a batch. Its members mean what they mean in a single message. Only their types are checked with the request; a value that a single message would be refused for makes this one message rejected. */
        BatchMessage: {
            /** @description A UUIDv7, with hyphens or as 32 hex characters. */
            message_id: string;
            /** @description A delivery address, `<prefix>@<domain>`. */
            recipient_address: string;
            /** @description The MLS ciphertext in base64, padded and canonical. */
            mls_ciphertext: string;
            /** @description 64 bytes as 128 hex characters or as padded base64. */
            sender_signature: string;
            /**
             * Format: int64
             * @description When the message was made, in Unix seconds by the sender's clock.
             */
            timestamp: number;
            system_event?: components["schemas"]["BatchSystemEvent"];
        };
        /** @description The hint of a message in a batch; its values are judged with the message. */
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
        /** @description 32 random bytes as hex. */
        Challenge: string;
        /** @description Shows that time was spent on a challenge. state = SHA-256(input); then `iterations` times state = SHA-256(state); output = state. */
        DelayProof: {
            /** @description 64 bytes as hex, the challenge followed by the public key. It selects the challenge that is used up. */
            input: string;
            /**
             * Format: int64
             * @description The challenge's own number.
             */
            iterations: number;
            /** @description The last state, 32 bytes as hex. */
            output: string;
            /** @description States on the way, which let the server check the proof faster: number i of 63 is the state after floor(i * iterations / 64) repetitions. */
            checkpoints?: string[];
        };
        /** @description An address that the device has taken. */
        DeliveryAddress: {
            full_address: components["schemas"]["Address"];
            /** @description The random part of the address. */
            prefix: components["schemas"]["UuidV4"];
            created_at: components["schemas"]["Timestamp"];
        };
        /**
         * @description Names a device: the BLAKE3-256 hash of its raw Ed25519 public key, as 64 hex characters. Where a request names a device, the public key itself as 64 hex characters is accepted as well, and the answer repeats the spelling sent.
         * @example 4f9d4bb1d4c0f5a6b1b8f3b2e4f4b5a1c7d8e9f00112233445566778899aabbc
         */
        DeviceId: string;
        DiscoveryDocument: {
            /** @description The domain of this relay, as it stands in its addresses. */
            server: components["schemas"]["Domain"];
            /** @description The base address for devices and administrators. */
            base_url: components["schemas"]["HttpUrl"];
            /** @description The base address for other relays. */
            federation_url: components["schemas"]["HttpUrl"];
            versions: components["schemas"]["ProtocolVersions"];
            capabilities: components["schemas"]["ServerCapabilities"];
            /** @description Whether this relay exchanges messages with other relays. */
            federation_enabled: boolean;
            stream: components["schemas"]["StreamLimits"];
            registration: components["schemas"]["RegistrationPolicy"];
            links: components["schemas"]["DiscoveryLinks"];
        };
        /** @description Where the contracts and keys of this relay are. */
        DiscoveryLinks: {
            /** @description This document's contract, OpenAPI 3.1. */
            openapi: components["schemas"]["HttpUrl"];
            /** @description The contract of the stream, AsyncAPI 3. */
            asyncapi: components["schemas"]["HttpUrl"];
            /** @description The public keys of the tokens. */
            jwks: components["schemas"]["HttpUrl"];
        };
        /**
         * @description A server's domain, a host name in its ASCII form with a port where it is not the usual one.
         * @example relay.example
         */
        Domain: string;
        /** @description The body of every error answer. Which of the optional members it carries depends on the error. */
        Error: {
            error: components["schemas"]["ErrorName"];
            /** @description What went wrong, for a developer to read. Its wording may change; do not compare it. */
            message: string;
            code: components["schemas"]["ErrorCode"];
            /**
             * @description The members of the request at fault.
             * @example [
             *       {
             *         "path": "body/timestamp",
             *         "message": "must be integer"
             *       }
             *     ]
             */
            details?: components["schemas"]["ErrorDetail"][];
            /** @description The server's time, sent when the timestamp of a signed request lies outside the accepted window. */
            server_timestamp?: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description The limit that was reached; 0 for a device that may send nothing.
             * @example 60
             */
            limit?: number;
            /**
             * Format: int64
             * @description Unix seconds when the limit or the ban ends; null when it does not end by itself.
             * @example 1767229200
             */
            reset_at?: number | null;
            /**
             * Format: int64
             * @description Seconds to wait before the next attempt.
             * @example 1200
             */
            retry_after?: number;
            /**
             * @description Finds the request in the server's log.
             * @example 0d4f6a3e-8f0c-4c8b-9a1c-6f5f0d3f7a11
             */
            request_id?: string;
        };
        /**
         * Format: int64
         * @description The error's number.
         * @enum {integer}
         */
        ErrorCode: 4000 | 4001 | 4002 | 4003 | 4004 | 4005 | 4006 | 4007 | 4008 | 4009 | 4010 | 4011 | 4012 | 4013 | 4014 | 4015 | 4016 | 4017 | 4018 | 4019 | 4020 | 4021 | 4022 | 4023 | 4024 | 4025 | 4026 | 4027 | 4028 | 5000 | 5001 | 5002 | 5003 | 5004;
        /** @description One member of the request at fault. */
        ErrorDetail: {
            /** @description Where the member is, for example `body/messages/3/timestamp` or `query/limit`. */
            path: string;
            /** @description What is wrong with it. */
            message: string;
        };
        /**
         * @description The error's name. Two errors with one code are told apart by it.
         * @enum {string}
         */
        ErrorName: "ADDRESS_LIMIT" | "ADDRESS_NOT_FOUND" | "ADDRESS_TAKEN" | "CHALLENGE_EXPIRED" | "CONFLICT" | "DATABASE_UNAVAILABLE" | "DEVICE_NOT_ANNOUNCED" | "DEVICE_NOT_FOUND" | "FEDERATION_DISABLED" | "FEDERATION_FAILED" | "INFOPACKAGE_EXHAUSTED" | "INFOPACKAGE_RATE_LIMIT" | "INSUFFICIENT_PERMISSIONS" | "INTERNAL" | "INVALID_ADDRESS" | "INVALID_ADMIN" | "INVALID_CERTIFICATE" | "INVALID_CONFIG" | "INVALID_PROOF" | "INVALID_REQUEST" | "INVALID_SIGNATURE" | "INVALID_TOKEN" | "IP_BANNED" | "MESSAGE_TOO_LARGE" | "METHOD_NOT_ALLOWED" | "NOT_FOUND" | "NO_KEY_PACKAGES" | "OVERLOADED" | "QUEUE_FULL" | "RATE_LIMIT_EXCEEDED" | "REGISTRATION_CLOSED" | "SERVER_BLOCKED" | "SERVER_UNREACHABLE" | "UNAUTHORIZED" | "UNSUPPORTED_MEDIA_TYPE";
        /** @description An absolute http or https URL without a slash at its end. */
        HttpUrl: string;
        /** @description An invite, a signed token (JWS, compact form) of this server or of one that it trusts for invites. */
        InviteCode: string;
        /**
         * @description A UUIDv7, with hyphens or as 32 hex characters.
         * @example 0193a5f0-7b1c-7c3e-9d52-4f6a8b0c1d2e
         */
        MessageId: string;
        /** @description What became of one message of a batch. */
        MessageStatus: {
            /**
             * @description The message's id in canonical form, or as it was sent where it is no message id.
             * @example 0193a5f0-7b1c-7c3e-9d52-4f6a8b0c1d2e
             */
            message_id: string;
            /**
             * @description `queued` and `federated` as in a single message. `rejected`: nothing was stored; `error` and `code` say why.
             * @enum {string}
             */
            status: "queued" | "federated" | "rejected";
            error?: components["schemas"]["ErrorName"];
            code?: components["schemas"]["ErrorCode"];
        };
        /** @description A page of the queue. */
        PollMessagesResponse: {
            /** @description Oldest first. */
            messages: components["schemas"]["QueuedMessage"][];
            /** @description Whether more messages are queued behind the last one of this page. */
            has_more: boolean;
            /**
             * Format: int64
             * @description Seconds after which to poll again; shorter while messages are pending.
             * @example 60
             */
            next_poll_interval: number;
            /** @description The server's time. */
            server_timestamp: components["schemas"]["Timestamp"];
        };
        /** @description The answer of a probe. */
        ProbeAnswer: {
            /** @enum {string} */
            status: "ok";
        };
        /** @description The versions this relay speaks. */
        ProtocolVersions: {
            /**
             * @description The relay protocol.
             * @enum {string}
             */
            protocol: "1.0";
            /** @description Versions of the interface for devices and administrators. */
            api: string[];
            /** @description Versions of the interface between relays. */
            federation: string[];
        };
        /** @description A raw Ed25519 public key, 32 bytes as hex. */
        PublicKey: string;
        /** @description A message in the queue of a device. Nothing in it tells the sender. */
        QueuedMessage: {
            message_id: components["schemas"]["CanonicalMessageId"];
            /** @description The MLS ciphertext in base64. */
            mls_ciphertext: components["schemas"]["Base64"];
            /** @description The sender's signature over the ciphertext, exactly as it was sent. The relay has not verified it. */
            sender_signature: components["schemas"]["SenderSignature"];
            /** @description When the message was made, by the sender's clock. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description When the relay took the message in. Never falls from one message of a queue to the next. */
            received_at: components["schemas"]["Timestamp"];
            system_event?: components["schemas"]["SystemEvent"];
        };
        RefreshDeviceTokenResponse: {
            access_token: components["schemas"]["AccessToken"];
            /** @description When the access token expires. */
            expires_at: components["schemas"]["Timestamp"];
        };
        /** @description What a device has to hash, and how often, before it registers. */
        RegistrationChallenge: {
            challenge: components["schemas"]["Challenge"];
            /**
             * Format: int64
             * @description How many times the state is hashed.
             * @example 5000000
             */
            iterations: number;
            /** @description Until when the challenge is accepted. */
            expires_at: components["schemas"]["Timestamp"];
        };
        RegistrationChallengeRequest: {
            /** @description The key of the device that is going to register. */
            public_key: components["schemas"]["PublicKey"];
        };
        /**
         * @description `open` takes any device that passes the proof asked for; `invite_only` takes those with an invite of this relay; `federation_allowlist` also takes invites of the relays on the federation allowlist.
         * @enum {string}
         */
        RegistrationMode: "open" | "invite_only" | "federation_allowlist";
        /** @description How a device becomes known here. */
        RegistrationPolicy: {
            /** @description Whether new devices are taken at all. Known devices go on in either case. */
            enabled: boolean;
            mode: components["schemas"]["RegistrationMode"];
        };
        /** @description Messages to send, in order. */
        SendMessageBatchRequest: {
            /** @description At most 100 messages. */
            messages: components["schemas"]["BatchMessage"][];
        };
        /** @description The outcome of a batch. */
        SendMessageBatchResponse: {
            /**
             * Format: int64
             * @description Messages that are stored or on their way.
             */
            accepted_count: number;
            /**
             * Format: int64
             * @description Messages that are neither.
             */
            rejected_count: number;
            /** @description One entry per message, in the order of the request. */
            message_statuses: components["schemas"]["MessageStatus"][];
        };
        /** @description An encrypted message for one recipient. */
        SendMessageRequest: {
            message_id: components["schemas"]["MessageId"];
            recipient_address: components["schemas"]["Address"];
            /** @description The MLS ciphertext in base64, padded and canonical. Its decoded length is limited by the server's `max_message_size`. */
            mls_ciphertext: components["schemas"]["Base64"];
            sender_signature: components["schemas"]["SenderSignature"];
            /** @description When the message was made, by the sender's clock. Handed on as it is. */
            timestamp: components["schemas"]["Timestamp"];
            system_event?: components["schemas"]["SystemEvent"];
        };
        /** @description What became of an accepted message. */
        SendMessageResponse: {
            message_id: components["schemas"]["CanonicalMessageId"];
            /**
             * @description `queued`: it is in the recipient's queue on this server. `federated`: it is on its way to the recipient's server.
             * @enum {string}
             */
            status: "queued" | "federated";
            /**
             * @description `immediate`: the recipient has a stream open and does not hide it. `delayed`: the recipient may be offline, or the message had been accepted before.
             * @enum {string}
             */
            delivery_estimate: "immediate" | "delayed";
        };
        /** @description The sender's Ed25519 signature over the ciphertext, 64 bytes as 128 hex characters or as padded base64. The relay never verifies it and hands it on exactly as sent. */
        SenderSignature: string;
        /** @description What a device can count on here. */
        ServerCapabilities: {
            /**
             * Format: int64
             * @description The most bytes of decoded ciphertext that one message may have.
             */
            max_message_size: number;
            /** @description Whether messages to addresses of other domains are forwarded. */
            federation_enabled: boolean;
            /**
             * @description Versions of MLS whose messages are carried.
             * @example [
             *       "1.0"
             *     ]
             */
            supported_mls_versions: string[];
        };
        /** @description An Ed25519 signature, 64 bytes as hex. */
        Signature: string;
        /** @description An Ed25519 public key as a JSON Web Key (RFC 8037). */
        SigningKey: {
            /** @enum {string} */
            kty: "OKP";
            /** @enum {string} */
            crv: "Ed25519";
            /** @description The public key, 32 bytes in base64url without padding. */
            x: string;
            /** @description The key's id, as it stands in the header of its tokens. */
            kid: string;
            /** @enum {string} */
            alg: "EdDSA";
            /** @enum {string} */
            use: "sig";
        };
        /** @description A JSON Web Key Set (RFC 7517). */
        SigningKeySet: {
            keys: components["schemas"]["SigningKey"][];
        };
        /** @description What the device asks of its queue. The server's own limits hold where they are smaller. An object that is sent replaces the one before it; a member left out goes back to the server's limit. */
        StoragePreferences: {
            /**
             * Format: int64
             * @description Days after which a waiting message expires.
             */
            max_retention_days?: number;
            /**
             * Format: int64
             * @description The most messages that wait in the queue.
             */
            offline_message_limit?: number;
            /**
             * @description Senders are told `delayed` even while the device has a stream open.
             * @default false
             */
            hide_presence?: boolean;
        };
        /** @description The limits of the stream. */
        StreamLimits: {
            /** @description Where the stream is opened. */
            url: string;
            /**
             * Format: int64
             * @description How many streams a device can hold open; a further one replaces the oldest.
             */
            max_connections_per_device: number;
            /**
             * Format: int64
             * @description With more messages than this waiting, a client should poll rather than use the stream.
             */
            max_message_backlog: number;
            /**
             * Format: int64
             * @description How often a ping is expected, and sent by the server, at least.
             */
            keepalive_interval_seconds: number;
            /**
             * Format: int64
             * @description After how many seconds the server ends a stream, so that clients connect again.
             */
            connection_timeout_seconds: number;
        };
        /** @description A hint beside the ciphertext, given by the sender of its own accord. The stream then sends the message as a `system` frame. Everything in it is readable by the relay; leave it out to show nothing. */
        SystemEvent: {
            event: components["schemas"]["SystemEventName"];
            /**
             * @description The group extension that the event is about.
             * @example 0xF000
             */
            extension_type?: string | null;
        };
        /**
         * @description What the ciphertext is about, as far as the sender tells.
         * @enum {string}
         */
        SystemEventName: "group_extension_updated" | "member_added" | "member_removed" | "epoch_change" | "address_rotation";
        /**
         * Format: int64
         * @description Unix time in seconds.
         * @example 1767225600
         */
        Timestamp: number;
        /** @description A UUIDv4 with hyphens, in lower case. */
        UuidV4: string;
    };
    responses: {
        /** @description **ADDRESS_LIMIT** (4021): The device holds as many active addresses as it may. */
        AddressLimit: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description **ADDRESS_LIMIT** (4021): The device holds as many active addresses as it may.
         *
         *     **ADDRESS_TAKEN** (4022): The prefix belongs to another device.
         */
        AddressLimitOrAddressTaken: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description **ADDRESS_NOT_FOUND** (4003): The recipient address has no active mapping on this server. */
        AddressNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description **CHALLENGE_EXPIRED** (4011): The challenge is expired, unknown or used. */
        ChallengeExpired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description **FEDERATION_FAILED** (4006): The remote server cannot be used for this message: it is blocked here or not on the allowlist. */
        FederationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description **INTERNAL** (5000): A fault of the server; request_id finds it in the log. */
        Internal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description **INVALID_REQUEST** (4000): The request breaks the contract; details names each member at fault. */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description **INVALID_REQUEST** (4000): The request breaks the contract; details names each member at fault.
         *
         *     **INVALID_ADDRESS** (4005): A malformed address or domain.
         */
        InvalidRequestOrInvalidAddress: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description **INVALID_SIGNATURE** (4001): The Ed25519 signature does not verify.
         *
         *     **INVALID_PROOF** (4019): The proof of delay is missing or not accepted; the message says why.
         *
         *     **IP_BANNED** (4020): A wrong proof came from this network address; challenges and first announcements are refused until reset_at.
         *
         *     **REGISTRATION_CLOSED** (4023): Registration is off, or an invite is required, used up or not trusted.
         */
        InvalidSignatureOrInvalidProofOrIpBannedOrRegistrationClosed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description **INVALID_TOKEN** (4008): A missing, malformed, expired or revoked token, or one of another kind. */
        InvalidToken: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description **IP_BANNED** (4020): A wrong proof came from this network address; challenges and first announcements are refused until reset_at.
         *
         *     **REGISTRATION_CLOSED** (4023): Registration is off, or an invite is required, used up or not trusted.
         */
        IpBannedOrRegistrationClosed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description **MESSAGE_TOO_LARGE** (4015): The decoded ciphertext or the body is over its limit. */
        MessageTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description **OVERLOADED** (5001): A bounded queue of the server is full; try again after Retry-After seconds.
         *
         *     **DATABASE_UNAVAILABLE** (5002): The database does not answer; try again after Retry-After seconds.
         */
        OverloadedOrDatabaseUnavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description **OVERLOADED** (5001): A bounded queue of the server is full; try again after Retry-After seconds.
         *
         *     **DATABASE_UNAVAILABLE** (5002): The database does not answer; try again after Retry-After seconds.
         *
         *     **FEDERATION_DISABLED** (5003): Federation is switched off on this server.
         */
        OverloadedOrDatabaseUnavailableOrFederationDisabled: {
            headers: {
                /**
                 * @description Seconds to wait before the next attempt.
                 * @example 5
                 */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description **QUEUE_FULL** (5004): The recipient's queue, or the outbox to its server, is at its limit. */
        QueueFull: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description **RATE_LIMIT_EXCEEDED** (4004): A limit is used up. A blocked or banned device gets limit 0; reset_at is null for a block and the end of a ban. */
        RateLimitExceeded: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description **UNSUPPORTED_MEDIA_TYPE** (4027): A body must be application/json, in UTF-8. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description The answer is never to be kept.
         * @example no-store
         */
        NoStore: "no-store";
        /**
         * @description The scheme of the token asked for (RFC 9110, section 11.6.1).
         * @example Bearer
         */
        WWWAuthenticate: string;
        /**
         * @description Seconds to wait before the next attempt.
         * @example 5
         */
        RetryAfter: number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getRegistrationChallenge: {
        parameters: {
            query: {
                /**
                 * @description The key of the device that is going to register.
                 * @example d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a
                 */
                public_key: components["schemas"]["PublicKey"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The challenge. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationChallenge"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["IpBannedOrRegistrationClosed"];
            429: components["responses"]["RateLimitExceeded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    createRegistrationChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegistrationChallengeRequest"];
            };
        };
        responses: {
            /** @description The challenge. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationChallenge"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["IpBannedOrRegistrationClosed"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimitExceeded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    announceWithProof: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnnounceWithProofRequest"];
            };
        };
        responses: {
            /** @description The device is registered and has the address. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnnounceWithProofResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["InvalidSignatureOrInvalidProofOrIpBannedOrRegistrationClosed"];
            409: components["responses"]["AddressLimit"];
            410: components["responses"]["ChallengeExpired"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimitExceeded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    announceDevice: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnnounceDeviceRequest"];
            };
        };
        responses: {
            /** @description The device has all of the addresses. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnnounceDeviceResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddress"];
            403: components["responses"]["InvalidSignatureOrInvalidProofOrIpBannedOrRegistrationClosed"];
            409: components["responses"]["AddressLimitOrAddressTaken"];
            410: components["responses"]["ChallengeExpired"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimitExceeded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    refreshDeviceToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new token. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefreshDeviceTokenResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    getDiscovery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The discovery document. */
            200: {
                headers: {
                    /**
                     * @description For how long the document may be kept.
                     * @example public, max-age=300
                     */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscoveryDocument"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    getSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key set. */
            200: {
                headers: {
                    /**
                     * @description For how long the key set may be kept.
                     * @example public, max-age=300
                     */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeySet"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    getHealthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is up. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProbeAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    getReadyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The relay takes requests. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProbeAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    pollMessages: {
        parameters: {
            query?: {
                /**
                 * @description Only messages whose `received_at` is this time or later. The older ones stay queued. Meant for clients that have acknowledged everything before.
                 * @example 1767225600
                 */
                since?: components["schemas"]["Timestamp"];
                /**
                 * @description Most messages of the page; 100 where it is left out.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the queue, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PollMessagesResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    sendMessage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendMessageRequest"];
            };
        };
        responses: {
            /** @description The message is stored here, or on its way to the recipient's server. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendMessageResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddress"];
            401: components["responses"]["InvalidToken"];
            404: components["responses"]["AddressNotFound"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimitExceeded"];
            500: components["responses"]["Internal"];
            502: components["responses"]["FederationFailed"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrFederationDisabled"];
            507: components["responses"]["QueueFull"];
        };
    };
    sendMessageBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendMessageBatchRequest"];
            };
        };
        responses: {
            /** @description The status of each message. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendMessageBatchResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    acknowledgeMessages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcknowledgeMessagesRequest"];
            };
        };
        responses: {
            /** @description How many messages were removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcknowledgeMessagesResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    acknowledgeMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a queued message.
                 * @example 0193a5f0-7b1c-7c3e-9d52-4f6a8b0c1d2e
                 */
                message_id: components["schemas"]["MessageId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether a message was removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcknowledgeMessageResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
}
