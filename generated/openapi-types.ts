// Made by `npm run generate` from spec/. Do not edit.
export interface paths {
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
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
             *       "mls10"
             *     ]
             */
            supported_mls_versions: string[];
        };
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
             * @description The most messages that wait in one device's queue.
             */
            max_message_backlog: number;
            /**
             * Format: int64
             * @description How often a ping is expected, and sent by the server, at least.
             */
            keepalive_interval_seconds: number;
            /**
             * Format: int64
             * @description After how many silent seconds the server closes the stream.
             */
            connection_timeout_seconds: number;
        };
        /**
         * Format: int64
         * @description Unix time in seconds.
         * @example 1767225600
         */
        Timestamp: number;
    };
    responses: {
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
    };
    parameters: never;
    requestBodies: never;
    headers: {
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
                     * @example public, max-age=3600
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
}
