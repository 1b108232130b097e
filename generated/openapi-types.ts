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
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`, `IP_BANNED`, `REGISTRATION_CLOSED`.
         *
         *     Requests are counted by the limit `challenges`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        get: operations["getRegistrationChallenge"];
        put?: never;
        /**
         * Get a challenge for a first announcement
         * @description A device that this server does not know asks for a challenge, hashes it `iterations` times, and sends the result with its first announcement. The more devices have registered in the last hour, the more iterations are required, four times as many above 1000, eight times above 1500, sixteen times above 2000, at most 80,000,000. Several challenges of one key may be open. A network address gets 10 challenges an hour.
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`, `IP_BANNED`, `REGISTRATION_CLOSED`.
         *
         *     Requests are counted by the limit `challenges`. Answers say in `RateLimit` what is left, unless they were made before counting.
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
         *     A device's first announcement needs one of: a delay proof in `vdf_proof`; an `invite_code`, where invites are
         *     accepted; its own `challenge` that is old enough, where the server allows waiting. In the modes `invite_only`
         *     and `federation_allowlist` only an invite is accepted. A server that requires no proof accepts open registrations
         *     without any of them.
         *
         *     The checks, in this order: the device id; for an unknown device whether registration is open, whether it brings what
         *     the server requires, bans, and 3 first announcements an hour and 10 a day from one network address, counted before
         *     the proof is checked; the challenge and the proof, where a wrong output bans the network address for 24 hours; the signature and the timestamp; the
         *     limits of the device: 100 active addresses, 5 new ones a day, 3 announcements an hour. A challenge is used up once
         *     its proof is accepted, unless the announcement then fails on the limits of the device.
         *
         *     A signed announcement is valid once: sent again after it was accepted, it is answered CONFLICT, from any
         *     client. A device that lost the answer, or announces itself twice within a second, signs again with a newer
         *     timestamp.
         *
         *
         *     Errors besides those that any request can meet: `INVALID_SIGNATURE`, `INVALID_PROOF`, `IP_BANNED`, `REGISTRATION_CLOSED`, `CHALLENGE_EXPIRED`, `ADDRESS_LIMIT`, `CONFLICT`, `RATE_LIMIT_EXCEEDED`.
         *
         *     Requests are counted by the limits `first_announcements_hour`, `first_announcements_day`, `new_addresses` and `announcements`. Answers say in `RateLimit` what is left, unless they were made before counting.
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
         *     A prefix that the device already holds is renewed. An expired address still belongs to its device, so that no
         *     other device can take it over.
         *
         *     A device that the server does not know registers by this announcement. It needs the same as a first announcement
         *     at `/api/v1/announce`, and is checked in the same order.
         *
         *     Either all prefixes are taken or none. A device may have 10 active addresses in this flow, 5 new ones a day and 3
         *     announcements an hour; both flows count together. A device that has more active addresses, from the other flow,
         *     can renew those that it has.
         *
         *     A signed announcement is valid once: sent again after it was accepted, it is answered CONFLICT, from any
         *     client. A device that lost the answer, or announces itself twice within a second, signs again with a newer
         *     timestamp.
         *
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`, `INVALID_SIGNATURE`, `INVALID_PROOF`, `IP_BANNED`, `REGISTRATION_CLOSED`, `CHALLENGE_EXPIRED`, `ADDRESS_LIMIT`, `ADDRESS_TAKEN`, `CONFLICT`, `RATE_LIMIT_EXCEEDED`.
         *
         *     Requests are counted by the limits `first_announcements_hour`, `first_announcements_day`, `new_addresses` and `announcements`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["announceDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/addresses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the device's addresses
         * @description The addresses at which the calling device gets messages now, the oldest first, each as it was announced. Addresses that
         *     have lapsed or were ended are not listed, although nobody else can take them.
         */
        get: operations["listAddresses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/addresses/{prefix}": {
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
         * End an address
         * @description Ends an address of the calling device at once, as if it had lapsed: from then on senders get ADDRESS_NOT_FOUND, on this
         *     relay and from other ones. A device whose address has leaked cuts it off in this way and keeps its others.
         *     Messages that are queued already stay in the queue. No other device can take the address. If the device
         *     announces it again, it is active again.
         *
         *     A prefix that nobody has, one of another device, one that has lapsed and one that was ended before are all
         *     ADDRESS_NOT_FOUND, so a request that is repeated because its answer was lost is answered so, too.
         *
         *
         *     Errors besides those that any request can meet: `ADDRESS_NOT_FOUND`.
         */
        delete: operations["endAddress"];
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
         * Read what this relay is and offers
         * @description Clients and other relays read this document first. It names the relay's domain and addresses, the versions it speaks, its capabilities and limits, and where its contracts and keys are.
         *
         *     `HEAD` is answered like `GET`, without the body.
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
         * @description A JSON Web Key Set (RFC 7517). It contains every key whose tokens this relay still accepts, the signing key first.
         *
         *     `HEAD` is answered like `GET`, without the body.
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
         * @description Answers as long as the process runs, and says nothing else.
         *
         *     `HEAD` is answered like `GET`, without the body.
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
         * @description Ready means that the database is reachable, migrated and takes writes, the clock is sound, and the process is not stopping. While it is not ready the answer is 503 with the `reason`, even if the database does not answer at all.
         *
         *     `HEAD` is answered like `GET`, without the body.
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
         * @description The oldest messages of the calling device, in the order in which the relay accepted them. Messages stay queued until
         *     they are acknowledged or expire, so the next poll returns them again. Acknowledge a message once it is decrypted
         *     and stored, and only then.
         *
         *     A page ends at `limit`, or earlier if its ciphertexts reach 16 MiB; it contains at least one message if there is
         *     any. Polls of one device are answered one after the other.
         */
        get: operations["pollMessages"];
        put?: never;
        /**
         * Send a message
         * @description Sends one encrypted message to the relay. The relay answers once the message is durably stored: after a 202 it is
         *     delivered or expires, even if the server crashes. The sender's identity is used for the sending limit and to
         *     recognise duplicates; it is neither stored with the message nor revealed to the recipient.
         *
         *     A message is identified by its sender, its id and its recipient. Sending the same one again within the retention
         *     period is answered like the first time, stores nothing and does not count against the limit. So repeat a request
         *     whose answer was lost. If the recipient's address has lapsed meanwhile, the repetition is ADDRESS_NOT_FOUND, like
         *     every message to that address; what was accepted before is still delivered. One id may be sent to several
         *     recipients.
         *
         *     A sender has a fixed window that begins with the first message counted in it. Only accepted messages count.
         *     Duplicates and unknown recipients have a window of their own, three times as large; the recipients of an
         *     all-or-nothing message that was refused for a full queue count there, too.
         *
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`, `ADDRESS_NOT_FOUND`, `INVALID_ADDRESS`, `QUEUE_FULL`, `FEDERATION_DISABLED`, `FEDERATION_FAILED`.
         *
         *     Requests are counted by the limits `messages` and `misses`. Answers say in `RateLimit` what is left, unless they were made before counting.
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
         * Send several messages
         * @description Sends several messages in one request. Each is decided separately, in order, and has its own status: an
         *     invalid one is `rejected` and the others are processed, so the answer is 202 even if every message is rejected.
         *     Only a request whose shape is wrong (a member missing or of the wrong type, more messages than the limit, which is 100
         *     unless the operator changed it) is refused as a whole. A message with text that cannot be stored (U+0000 or half of a surrogate pair) is rejected alone.
         *
         *     Each message follows the rules of the single message.
         *
         *     With `one_message` they are copies of one message, such as a message to a group that is encrypted for each member apart
         *     so that nothing but their time and length links the copies. What they count then depends, as for a message to many, on
         *     the recipients and bytes alone: for Trusted and Verified devices one message for each 25 recipients begun, or for fewer
         *     if the longest ciphertext times their number would be more than a mebibyte. Repetitions and unknown recipients count in
         *     `misses` by the same shares. They are stored together where they fit.
         *
         *     A body of more than a mebibyte is not read while the device may send nothing: the whole request is then answered
         *     with RATE_LIMIT_EXCEEDED, duplicates included.
         *
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`.
         *
         *     Requests are counted by the limits `messages` and `misses`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["sendMessageBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/multi": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message to many recipients
         * @description Sends one ciphertext to up to 1,000 recipients, of this server and of others, as for a message to a group. The
         *     recipients get what a single message would have given them: neither who else got it, nor that anybody did.
         *
         *     Each recipient has its own status, in the order of the request: one that is unknown or malformed is
         *     `rejected`, and the others are processed. The answer is 202 even if every recipient is rejected. With
         *     `all_or_nothing` the whole is refused, and nothing is stored, if a recipient would be rejected for the sender's
         *     limit (RATE_LIMIT_EXCEEDED) or, if the limit covers the others, for a full queue (QUEUE_FULL, with the
         *     recipients at fault in `details`, at most 100); recipients that are rejected for another reason are only listed.
         *     After QUEUE_FULL all recipients of the request count like repetitions and unknown recipients. If the limit of
         *     those does not cover them, the answer is RATE_LIMIT_EXCEEDED.
         *
         *     For each recipient it is the single message with the same id: a repetition is recognised, and answered like the
         *     first time. So repeat a request whose answer was lost, or of which some recipients were rejected, as it was.
         *
         *     For New and Established devices it counts as one message for each recipient. For Trusted and Verified ones it
         *     counts as one message for each 25 recipients begun, or another number that the administrators set. With a
         *     ciphertext of more than a 25th of a mebibyte that number is smaller: what counts as one message takes no more than
         *     a mebibyte in the recipients' queues, unless it is for one recipient. Repetitions and unknown recipients count in
         *     `misses` by the same shares: 25 unknown recipients of one message are one miss.
         *
         *     Ciphertexts that take more than 8 MiB in all queues together are stored in parts. If the server fails in between,
         *     the recipients of the remaining parts are `rejected`; repeat the request as it was. With `all_or_nothing` they may
         *     take 128 MiB together; beyond that the request is refused with MESSAGE_TOO_LARGE.
         *
         *     A body of more than a mebibyte is not read while the device may send nothing: the request is then answered with
         *     RATE_LIMIT_EXCEEDED, duplicates included.
         *
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`, `QUEUE_FULL`.
         *
         *     Requests are counted by the limits `messages` and `misses`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["sendMessageToMany"];
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
         * @description Removes one message of the calling device's queue per listed id, as if each were acknowledged separately. An id
         *     that is not queued, because it expired or was acknowledged before, or that is malformed, is counted in
         *     `failed_count`.
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
         * @description Removes the message from the calling device's queue for good. If two senders used the same id, one acknowledgement
         *     removes one message: the oldest that was delivered, or the oldest if none was. A missing message is not an error:
         *     `acknowledged` is then false.
         */
        delete: operations["acknowledgeMessage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slots/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read many commit slots
         * @description Reads up to `slots.max_slots_per_reading` slots of one relay in one request, as a member of many groups does at each start.
         *     The answer has an item for each slot, in the order of the request. A slot that nothing has taken is no error here: its
         *     item has `taken: false`, and the slot stays free. A slot whose content has expired is taken, with the error SLOT_EXPIRED.
         *
         *     An answer has at most 4 MiB of content, or that of a single slot. Further items say `taken: true` without content: read
         *     these slots again, with another request or alone.
         *
         *     Each slot is counted as one reading. The request is refused as a whole if the limit has less left.
         *
         *     With the `domain` of another relay, this relay asks that one, for up to `slots.max_peer_slots_per_reading` slots, and needs the
         *     token of a device, as `GET /v1/slots/{slot}` does. If one of them is not answered, the request is PEER_UNAVAILABLE: send it
         *     again.
         *
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`, `INVALID_ADDRESS`, `FEDERATION_FAILED`, `FEDERATION_DISABLED`, `PEER_UNAVAILABLE`.
         *
         *     Requests are counted by the limits `slot_reads_hour`, `peer_slot_reads_minute` and `peer_slot_reads_of_network`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["readSlots"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slots/{slot}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a commit slot
         * @description Returns what a slot has taken, for anybody who knows its name: only members of the group can compute it, and the content is
         *     sealed. A slot that nothing has taken is NOT_FOUND, and stays free. A network address may read as many slots an hour as the operator
         *     allows; an IPv6 /64 counts as one address.
         *
         *     With the `domain` of another relay, this relay asks that one. As all members of this relay share what it may ask another one, this
         *     needs the token of a device; without one the answer is INVALID_TOKEN. A device may read 60 slots of other relays a minute,
         *     a network address 240, and each device fewer while few devices ask for much.
         *     Slots of this relay are read without a token.
         *
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `SLOT_EXPIRED`, `RATE_LIMIT_EXCEEDED`, `INVALID_ADDRESS`, `FEDERATION_FAILED`, `FEDERATION_DISABLED`, `PEER_UNAVAILABLE`.
         *
         *     Requests are counted by the limits `slot_reads_hour`, `peer_slot_reads_minute` and `peer_slot_reads_of_network`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        get: operations["getSlot"];
        /**
         * Take a commit slot
         * @description A commit slot takes content once, so exactly one commit wins each epoch of a group: the first member takes the slot, and
         *     the others are told what it took and apply that commit instead of theirs. The members compute a key pair
         *     from the secrets of the epoch, and the slot is named after its public key, so that the relay learns neither the group nor
         *     the epoch.
         *
         *     Only the holder of that pair takes the slot: `public_key` must have the name of the slot as its SHA-256, and `signature`
         *     must be by this key over the content. A slot can be named after several keys, each of which takes it: then `path` leads from
         *     the hash of `public_key` to the name, and the relay keeps and answers which key it was (`taker`). Knowing the name, from a log or from the requests of a member, is enough to
         *     read the slot, but not to take it.
         *
         *     The answer is sent once the slot is committed to the database and synced. `won` is true if the slot has exactly the
         *     content of the request, also if an earlier request with the same content took it: after a lost answer, send the same
         *     request again. Otherwise `won` is false and `content` is what the slot has. In both cases the receipt proves
         *     what this relay has decided.
         *
         *     `slot_key` is the key with which the group expects receipts to be signed (`slots.key` of the discovery document).
         *     After a restore of its database a relay has forgotten the slots that were taken since the backup. It makes a new key
         *     then, and answers requests that name another key with SLOTS_RESTARTED: such a group continues as a new group.
         *
         *     A slot keeps its content for `slots.retention_days`, and stays taken for `slots.memory_days`; in between the answer is
         *     SLOT_EXPIRED.
         *
         *     With `domain`, this relay asks that relay for its slot (`POST /federation/v1/slots`), checks the receipt, and passes the
         *     answer on. If the other relay is silent for 15 seconds, the answer is PEER_UNAVAILABLE. The other relay may have
         *     taken the content nonetheless, so the same request must be repeated until it is answered; never send other content
         *     for the slot instead. A relay that cannot be asked is FEDERATION_FAILED. Requests for slots of other
         *     relays, and their bytes, have limits of their own, and repetitions count.
         *
         *     A device can fill a share of the space for commit slots, counted for as long as content is kept (`slot_storage`). Beyond it,
         *     and when the whole space is used up, the answer is QUEUE_FULL.
         *
         *     A device may have 8 such requests in progress at a node; the next is OVERLOADED. A body of more than a mebibyte is not
         *     read if the slot is free and its content would be refused, by this relay and, while this one asks others, for those.
         *
         *
         *     Errors besides those that any request can meet: `INVALID_SIGNATURE`, `SLOT_EXPIRED`, `SLOTS_RESTARTED`, `QUEUE_FULL`, `RATE_LIMIT_EXCEEDED`, `INVALID_ADDRESS`, `FEDERATION_FAILED`, `FEDERATION_DISABLED`, `PEER_UNAVAILABLE`.
         *
         *     Requests are counted by the limits `slots_hour`, `slot_bytes_hour`, `slot_storage`, `peer_slots_hour` and `peer_slot_bytes_hour`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        put: operations["takeSlot"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/push/subscription": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See the push subscription
         * @description Says whether the calling device has a push subscription, whether it is confirmed, and for which VAPID key it was made. A
         *     device without one gets NOT_FOUND.
         *
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`.
         */
        get: operations["getPushSubscription"];
        /**
         * Subscribe to wake-up pushes
         * @description Stores where a device without a stream is woken: a push resource (RFC 8030) and the keys for it (RFC 8291). A device has
         *     one subscription; another one replaces it. The subscription must be made for the VAPID key in `push.vapid_key` of the
         *     discovery document, because the relay signs its requests with that key (RFC 8292).
         *
         *     Before the answer, the relay pushes a code to the endpoint: the decrypted body is the JSON object
         *     `{"type": "confirm", "code": "…"}`. The device echoes the code (`POST /api/v1/push/subscription/confirm`) within
         *     ten minutes. Until then nothing else is sent there, so that nobody can direct the pushes of a relay at a third party. A
         *     device that gets no code repeats the request, which pushes a new one. If the same subscription has been confirmed before,
         *     only `urgency` and `expires_at` are stored, and no code is pushed.
         *
         *     From then on, a message for the device, or a low number of its key packages, makes one push whose decrypted body is
         *     `{"type": "wake"}` while the device has no stream: at most one in 30 seconds, and none while the last one has not led to a
         *     poll or a stream, first for a minute, then for twice as long each time, at most an hour. All pushes have the same
         *     length. `Topic` is constant, so that a push service keeps only the last one for a device that is off. A push without a body
         *     means the same as `wake`.
         *
         *     The relay forgets the endpoint with the device, when `expires_at` has passed, and when the push service answers that the
         *     subscription is gone (404 or 410).
         *
         *
         *     Errors besides those that any request can meet: `PUSH_ENDPOINT_REFUSED`, `PUSH_DISABLED`, `RATE_LIMIT_EXCEEDED`.
         *
         *     Requests are counted by the limit `push_subscriptions_hour`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        put: operations["subscribeToPush"];
        post?: never;
        /**
         * End wake-up pushes
         * @description Forgets the push subscription of the calling device. A push that is being sent may still arrive.
         */
        delete: operations["unsubscribeFromPush"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/push/subscription/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Echo the code that was pushed
         * @description Proves that the device reads what is pushed to its endpoint. From then on the relay wakes it. A code that is not the last
         *     one, or is older than ten minutes, is PUSH_CODE_WRONG; after a lost answer, the same code may be sent again.
         *
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `PUSH_CODE_WRONG`, `RATE_LIMIT_EXCEEDED`.
         *
         *     Requests are counted by the limit `push_confirmations_hour`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["confirmPushSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/push/subscription/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try the push subscription
         * @description Pushes `{"type": "test"}` at once and answers with what the push service said: the class of its status and Retry-After,
         *     nothing else. It counts neither as a wake-up nor towards the pause between wake-ups. If the service says that the
         *     subscription is gone, it is forgotten. A subscription that is not confirmed yet is CONFLICT.
         *
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `CONFLICT`, `PUSH_ENDPOINT_REFUSED`, `PUSH_DISABLED`, `RATE_LIMIT_EXCEEDED`.
         *
         *     Requests are counted by the limit `push_tests_hour`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["testPushSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/blobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reserve the space for a blob
         * @description A blob is a file that the client has encrypted, for instance an attachment. Reserve its space, upload its parts, and
         *     complete it; then anybody who knows `blob_id` can download it. The relay does not store which device has created a
         *     blob, so keep the tokens: only they can upload and delete.
         *
         *     Pad the file before you encrypt it, or its size tells what it is. `size` is that of the ciphertext. A blob ends after
         *     `lifetime_seconds`, which begin now, or after `max_downloads` downloads. An upload ends an hour after
         *     its last part, and ten minutes after this request if no part has come.
         *
         *     If there is no space left, the answer is QUEUE_FULL before anything is uploaded. A device may create a number of
         *     blobs in an hour and a number of bytes in a day, and so may a network address; new devices may create fewer.
         *     Nobody fills the whole space: a device has an eighth of it in 30 days (`blob_storage`; a lifetime of less than 30 days
         *     counts in proportion), a new device a hundredth, and all new devices together half. The devices of an IPv4 address or IPv6 /48
         *     have a sixteenth of the space in a day (`network_blob_storage`), or a 256th once half of it is taken. These are
         *     the defaults. A share that is used up is QUEUE_FULL as well. If the
         *     answer was lost, create another blob: the first one ends by itself.
         *
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`, `QUEUE_FULL`, `BLOBS_DISABLED`.
         *
         *     Requests are counted by the limits `blobs_hour`, `blob_bytes_day`, `blob_storage`, `network_blob_bytes_day` and `network_blob_storage`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["createBlob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/blobs/{blob_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a blob
         * @description Returns the bytes of a complete blob to anybody who knows its id, whichever relay they use. A blob that is unknown,
         *     incomplete, expired, deleted or used up is NOT_FOUND. The bytes of a blob never change.
         *
         *     After a broken connection ask for the rest with `Range`. One range of bytes is supported; a request for several ranges
         *     is answered with all bytes. `If-Range` is supported. `HEAD` returns the headers and counts as no download.
         *
         *     A blob with `max_downloads` counts a download for each request, ranges included, unless the request names a
         *     download by `X-Download-Id` that was counted within the last hour. A blob is deleted an hour after its last
         *     download began.
         *
         *     A network address may make a number of requests in an hour and ask for a number of bytes in a day. A client that
         *     does not read the answer for 60 seconds is cut off.
         *
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `RANGE_NOT_SATISFIABLE`, `RATE_LIMIT_EXCEEDED`, `BLOBS_DISABLED`.
         *
         *     Requests are counted by the limits `blob_reads_hour` and `blob_read_bytes_day`. Answers say in `RateLimit` what is left, unless they were made before counting.
         *
         *     `HEAD` is answered like `GET`, without the body.
         */
        get: operations["downloadBlob"];
        put?: never;
        post?: never;
        /**
         * Delete a blob
         * @description Deletes the blob, complete or not. From the answer on it cannot be downloaded; downloads that have begun are cut
         *     off or end. After a lost answer the repetition is NOT_FOUND.
         *
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `UNAUTHORIZED`, `BLOBS_DISABLED`.
         */
        delete: operations["deleteBlob"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/blobs/{blob_id}/parts/{part}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload a part of a blob
         * @description The body is the part's bytes, with a `Content-Length` or in chunks (`Transfer-Encoding: chunked`). Part n begins at n times `part_bytes`; every part has `part_bytes` bytes, except for
         *     the last one, which has the rest. Parts may be sent in any order and at once. After a lost answer send the
         *     part again. Other bytes for a part that is stored replace it until the blob is complete.
         *
         *     `Content-Digest` (RFC 9530) is required. If it does not match, the answer is DIGEST_MISMATCH, and the part
         *     counts as not sent. A body may be slow, but it must not pause for 30 seconds or take less than four kibibytes
         *     a second on average. Each blob takes four times as many requests as it has parts, and 16 more; after that it is
         *     CONFLICT, as it is for a blob that is complete.
         *
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `UNAUTHORIZED`, `DIGEST_MISMATCH`, `CONFLICT`, `QUEUE_FULL`, `BLOBS_DISABLED`.
         */
        put: operations["uploadBlobPart"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/blobs/{blob_id}/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read which parts of a blob are stored
         * @description A client that was interrupted asks which parts it need not send again.
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `UNAUTHORIZED`, `BLOBS_DISABLED`.
         */
        get: operations["getBlobUpload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/blobs/{blob_id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a blob
         * @description From the answer on, the blob can be downloaded, and survives a crash. A repetition after a lost answer is answered
         *     likewise. As long as parts are missing, the answer is CONFLICT.
         *
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `UNAUTHORIZED`, `CONFLICT`, `QUEUE_FULL`, `BLOBS_DISABLED`.
         */
        post: operations["completeBlob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how much the device may still do
         * @description The trust tier of the calling device, when the next one is reached, and what is left of each of its limits. Nothing is
         *     counted. Limits of network addresses and limits per recipient or target are not listed; the headers `RateLimit` of the
         *     operations that count them say what is left.
         *
         *     The numbers are true when they are read: other requests of the device that run at the same time may still use some.
         */
        get: operations["getLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/federation/v1/keypackages/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim key packages for a device of another relay
         * @description A relay asks this one for key packages of its devices, as `POST /api/v1/keypackage/claim` describes. The answer is
         *     sent after the commit. A repetition with the same `claim_id` gets the same packages for a day, so a relay that has
         *     lost the answer asks again. An address of another relay is ADDRESS_NOT_FOUND.
         *
         *     All relays of one registrable domain together may name 600 addresses in a minute, or the operator's limit, and get 20
         *     packages of one device in an hour; then they get its last-resort package, or RATE_LIMIT_EXCEEDED if it has none. A relay of
         *     poor reputation has a quarter of that. Only relays whose discovery document has
         *     `federated_key_packages` have this operation.
         *
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`, `RATE_LIMIT_EXCEEDED`, `SERVER_BLOCKED`, `FEDERATION_DISABLED`.
         *
         *     Requests are counted by the limits `federation_key_packages` and `federation_key_packages_of_device`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["claimKeyPackagesForPeer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/federation/v1/slots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take or read a commit slot for a member of another relay
         * @description A relay asks this one for a slot, for one of its devices. Taking works as in `PUT /v1/slots/{slot}`: the first content
         *     wins, the answer is sent after the commit, and a repetition with the same content is answered like the first
         *     request. So a relay that has lost the answer asks again. Without `content`, `slot_key`, `public_key` and `signature`
         *     the slot is read; `won` is then false. The calling relay checks the receipt before it passes the answer on.
         *
         *     Takings, their bytes and readings are limited for all relays of one registrable domain together, repetitions included;
         *     a relay of poor reputation has a quarter of the usual limits. Other relays can fill half of the space for
         *     commit slots, and those of one registrable domain an eighth (`federation_slot_storage`); beyond it the answer is QUEUE_FULL. A body of more than a mebibyte is not read if the relay is blocked or its limits are used up. Only relays
         *     whose discovery document has `federated_slots` have this operation.
         *
         *
         *     Errors besides those that any request can meet: `INVALID_SIGNATURE`, `NOT_FOUND`, `SLOT_EXPIRED`, `SLOTS_RESTARTED`, `QUEUE_FULL`, `RATE_LIMIT_EXCEEDED`, `INVALID_ADDRESS`, `SERVER_BLOCKED`, `FEDERATION_DISABLED`.
         *
         *     Requests are counted by the limits `federation_slots`, `federation_slot_bytes`, `federation_slot_reads` and `federation_slot_storage`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["askSlot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/federation/v1/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a nonce to authenticate with
         * @description The first step of a relay that has messages for this one. The nonce is bound to the relay that asks; nothing is
         *     stored for it until it is used. A network address gets 60 nonces a minute for one relay, and 240 in all.
         *
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`, `RATE_LIMIT_EXCEEDED`, `SERVER_BLOCKED`, `FEDERATION_DISABLED`.
         *
         *     Requests are counted by the limits `federation_challenges` and `federation_challenges_of_network`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["createFederationChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/federation/v1/auth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin a relay's session
         * @description The calling relay shows the certificate of its domain and a nonce signed by the certificate's key. The certificate
         *     must be from an authority that this relay trusts, be for the domain, in date, for servers and for signatures, and
         *     not be revoked. Keys are Ed25519, P-256, P-384, P-521, or RSA of 2048 to 4096 bits with an exponent up to 65537;
         *     signatures are over SHA-2. The answer to the nonce names this relay, so that it is useless at another one.
         *
         *     The token lasts no longer than the certificate. It ends at once (INVALID_TOKEN) when the certificate would not be
         *     accepted any more: revoked, from an authority that is no longer trusted, or accepted while certificate validation
         *     was off.
         *
         *     A network address may make 60 attempts a minute as one relay, and 240 in all. Only attempts with a nonce of this relay count.
         *
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`, `INVALID_CERTIFICATE`, `RATE_LIMIT_EXCEEDED`, `SERVER_BLOCKED`, `FEDERATION_DISABLED`.
         *
         *     Requests are counted by the limits `federation_authentications` and `federation_authentications_of_network`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["authenticateServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/federation/v1/online": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Push online-only messages of another relay
         * @description A relay passes on messages with `expires_in_seconds` 0, such as typing, receipts and call signalling. They are pushed to
         *     the open streams of their recipients and stored nowhere. A message whose recipient is unknown or has no stream, or that
         *     is malformed, is dropped, and the answer does not tell. So the calling relay never repeats this request.
         *
         *     All relays of one registrable domain together may pass on 3,000 messages in a minute, or the operator's limit; a relay
         *     of poor reputation has a quarter of that. Only relays whose discovery document has `federated_lifetimes` have this
         *     operation.
         *
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`, `RATE_LIMIT_EXCEEDED`, `SERVER_BLOCKED`, `FEDERATION_DISABLED`.
         *
         *     Requests are counted by the limit `federation_online_messages`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["pushOnlineMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/federation/v1/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pass on a spam report about a device of the called relay
         * @description A relay passes on a report of one of its devices about a message that came from the called relay, which keeps no sender
         *     with a message either, but can check the report: its own keyed hash shows whether the named device sent a message of that
         *     id to that address. A report that fails the check is answered alike and has no consequences; so is a repetition.
         *
         *     A report that passes counts as one by an Established device, if the calling relay has been known for 7 days and its
         *     reputation is not poor, and otherwise as one by a new device. At most 3 reporters of one registrable domain count for
         *     one device, fewer than it takes to block it. Reports of other relays alone, of however many, flag a device and neither block nor
         *     ban it: at least two reporters must be devices of the called relay.
         *
         *     All relays of one registrable domain together may pass on 600 reports in an hour; a relay of poor reputation has a quarter
         *     of that. Only relays whose discovery document has `federated_reports` have this operation.
         *
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`, `RATE_LIMIT_EXCEEDED`, `SERVER_BLOCKED`, `FEDERATION_DISABLED`.
         *
         *     Requests are counted by the limit `federation_reports`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["forwardSpamReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/federation/v1/deliver/{transaction_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Deliver messages of another relay
         * @description Queues messages for devices of this relay. Each is decided separately: one whose recipient is not announced here,
         *     or whose form is wrong, is rejected with a reason, and the others are processed.
         *
         *     A transaction that is sent again is answered like the first time for an hour and not processed again, also while
         *     the first one is still being processed. After that, duplicates are recognised message by message for as long as
         *     the messages' hashes are stored. A repetition with fewer or changed messages is answered like the first time as well.
         *     One with a message that the first one did not have is a CONFLICT: that message needs a new transaction id.
         *
         *     Each delivery counts one transaction, its messages, and their bytes: a ciphertext that messages share counts for
         *     each of them. The limits are shared by the relays of one registrable domain, and a quarter of the usual ones for a
         *     relay of poor reputation. A delivery with more bytes than a minute allows is accepted at the beginning of one.
         *
         *     The messages of a delivery may have 256 MiB of ciphertext together, counted in the same way. Beyond that the whole
         *     is refused with MESSAGE_TOO_LARGE, and the relay sends it in smaller transactions. A single message is never
         *     refused for that.
         *
         *     A body of more than a mebibyte is not read if the relay is blocked or its limits are used up, unless the transaction
         *     is known.
         *
         *     A relay whose discovery document has `attached_ciphertexts` also takes bodies of the type
         *     `application/vnd.svc-delivery`, in which ciphertexts are not written as base64. Such a body begins with four bytes,
         *     the length of the JSON (most significant byte first). The JSON follows, as above, but with `ciphertext_bytes` in
         *     place of `mls_ciphertext`. Behind it stand the ciphertexts, in the order of the messages and with nothing between
         *     them; their lengths must add up to the end of the body. Everything else is as with JSON, also the limits.
         *
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`, `RATE_LIMIT_EXCEEDED`, `CONFLICT`, `SERVER_BLOCKED`, `FEDERATION_DISABLED`.
         *
         *     Requests are counted by the limits `federation_messages`, `federation_transactions` and `federation_bytes`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        put: operations["deliverTransaction"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/svc-blocklist": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The servers that this relay blocks
         * @description Published only if the operator has switched it on; otherwise there is no such document. It contains domains,
         *     categories, severities and times.
         *
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`.
         *
         *     `HEAD` is answered like `GET`, without the body.
         */
        get: operations["getBlocklist"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/auth/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a challenge to log in with
         * @description A challenge is valid for one login, on any node, within about five minutes.
         */
        get: operations["getAdminChallenge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/auth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in as an administrator
         * @description An administrator on the server's list gets a token by signing a challenge with the key on the list.
         *     Checked in this order: the challenge, the signature by a key on the list, the timestamp. A device that is not on the
         *     list and a wrong signature have the same answer (INVALID_ADMIN), so nobody learns who is an administrator. A successful
         *     login uses up its challenge.
         *
         *     An administrator's device may be registered as a device here as well; neither needs the other.
         *
         *
         *     Errors besides those that any request can meet: `INVALID_ADMIN`, `CHALLENGE_EXPIRED`.
         */
        post: operations["loginAdmin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a new admin token before the old one expires
         * @description The new token belongs to the same session and expires after an hour, though never later than 12 hours after the login that began the session. The old token stays valid until it expires.
         */
        post: operations["refreshAdminToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the session
         * @description Every token of the session becomes invalid, on every node within a second.
         */
        post: operations["logoutAdmin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/auth/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in with a link that the server's operator made
         * @description `mls-relay console`, run on the server's machine, makes a link in an administrator's name. Its code is good for one
         *     login within five minutes. The session is like any other, but nothing that the caller holds can begin another one.
         *
         *     A code that is unknown, used or expired is answered with CHALLENGE_EXPIRED.
         *
         *
         *     Errors besides those that any request can meet: `CHALLENGE_EXPIRED`, `INVALID_ADMIN`.
         */
        post: operations["loginWithLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions of administrators
         * @description The sessions that have a valid token, the latest first, at most 1,000. An administrator with the permission `all` sees those of everyone; any other sees only their own.
         */
        get: operations["listAdminSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions/{session_id}": {
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
         * End the session of an administrator
         * @description Every token of the session becomes invalid, on every node within a second. Ending the session of another administrator needs the permission `all`; without it, that session is answered as if it did not exist.
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`.
         */
        delete: operations["endAdminSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the server's configuration
         * @description The whole tree, as this node uses it. Any administrator may read it.
         */
        get: operations["getConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the server's configuration
         * @description Changes the keys that are sent and no others. Either all of them are changed or none: an unknown key or a value out
         *     of its range is answered with INVALID_CONFIG, which names the key, and nothing is changed. Changes that are made at
         *     the same time are applied one after the other.
         *
         *     A change is stored, holds on every node within a second, and survives a restart. An administrator can make 100
         *     changes an hour; refused ones count.
         *
         *
         *     Needs the permission `manage_config`.
         *
         *     Errors besides those that any request can meet: `INVALID_CONFIG`, `RATE_LIMIT_EXCEEDED`.
         *
         *     Requests are counted by the limit `admin_config_updates`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        patch: operations["updateConfig"];
        trace?: never;
    };
    "/admin/v1/trust/verify/{device_id}": {
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
         * Withdraw a device's verification, by DELETE
         * @description The same as `POST /admin/v1/trust/revoke`, without a reason.
         *
         *     Needs the permission `verify_devices`.
         *
         *     Errors besides those that any request can meet: `DEVICE_NOT_FOUND`, `CONFLICT`.
         */
        delete: operations["deleteVerification"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/trust/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a device
         * @description The device has the Verified tier at once, whatever its age. A device that is blocked or banned is not verified. A device that is already verified is verified again.
         *
         *     Needs the permission `verify_devices`.
         *
         *     Errors besides those that any request can meet: `DEVICE_NOT_FOUND`, `CONFLICT`.
         */
        post: operations["verifyDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/trust/verify-bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify several devices
         * @description Each device has its own result; one that is unknown or blocked does not keep the others from being verified. The results come in the order of the request.
         *
         *     Needs the permission `verify_devices`.
         */
        post: operations["verifyDevices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/trust/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw a device's verification
         * @description The device returns to the tier of its age. A device that is not verified answers CONFLICT.
         *
         *     Needs the permission `verify_devices`.
         *
         *     Errors besides those that any request can meet: `DEVICE_NOT_FOUND`, `CONFLICT`.
         */
        post: operations["revokeVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/trust/set-rate-limit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a limit for one device
         * @description The limit replaces the tier's until it expires, or until null is sent for it. It does not lift a block or a ban. A limit outside 0 to 1000 is answered with INVALID_CONFIG, code 4012.
         *
         *     Needs the permission `modify_rate_limits`.
         *
         *     Errors besides those that any request can meet: `DEVICE_NOT_FOUND`, `INVALID_CONFIG`.
         */
        post: operations["setRateLimit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/trust/pending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List devices that might be verified
         * @description Devices of the requested age and activity, the longest registered first. Verified, blocked and banned devices are left out. At most the 2,000 longest registered devices of that age are examined; `complete` says whether those are all.
         *
         *     Needs the permission `verify_devices`.
         */
        get: operations["listPendingDevices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the devices, or find the one with an address
         * @description Pages of devices, in the order of `sort`. With `address` the answer has the device that holds the address, or none; the other parameters are then ignored.
         *
         *     Needs the permission `verify_devices`.
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`.
         */
        get: operations["listDevices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/devices/{device_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the details of a device
         * @description Any administrator may read it. It contains nothing about contacts, groups or messages, because the relay stores none of that.
         *
         *     Errors besides those that any request can meet: `DEVICE_NOT_FOUND`.
         */
        get: operations["getDevice"];
        put?: never;
        post?: never;
        /**
         * Delete a device and everything about it
         * @description Its addresses, key packages, info packages, queued messages, counters and spam reports are deleted at once, and its tokens become invalid. Only a block or ban outlives it, under a keyed hash, and the audit log keeps the first characters of its id. This cannot be undone.
         *
         *     Needs the permission `all`.
         *
         *     Errors besides those that any request can meet: `DEVICE_NOT_FOUND`.
         */
        delete: operations["deleteDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/devices/{device_id}/push-test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a device's push subscription
         * @description Pushes `{"type": "test"}` to the device at once and answers with what its push service said: the class of the status and Retry-After, nothing else. The device shows its user a notification. It counts as a test by the device. If the service says that the subscription is gone, it is forgotten. NOT_FOUND is for a device without a subscription, CONFLICT for one that is not confirmed yet.
         *
         *     Needs the permission `verify_devices`.
         *
         *     Errors besides those that any request can meet: `DEVICE_NOT_FOUND`, `NOT_FOUND`, `CONFLICT`, `PUSH_ENDPOINT_REFUSED`, `PUSH_DISABLED`, `RATE_LIMIT_EXCEEDED`.
         *
         *     Requests are counted by the limit `push_tests_hour`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["testDevicePush"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/devices/{device_id}/block": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Block a device
         * @description It can send nothing any more, and no request lifts the block: the operator does, on the server's own machine, with `mls-relay devices unblock`. It can still announce itself and fetch its messages. A device that is already blocked stays blocked since the first time.
         *
         *     Needs the permission `verify_devices`.
         *
         *     Errors besides those that any request can meet: `DEVICE_NOT_FOUND`.
         */
        post: operations["blockDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/federation/block": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Block a server
         * @description From its next request on, nothing is accepted from it or sent to it. The block replaces an existing one. Messages that wait for the server in the outbox stay until the block ends or they expire.
         *
         *     Needs the permission `block_federation`.
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`.
         */
        post: operations["blockServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/federation/block/{server_domain}": {
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
         * End a block
         * @description The counters of its reputation are reset. A block of a name above it stays.
         *
         *     Needs the permission `block_federation`.
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`, `NOT_FOUND`.
         */
        delete: operations["unblockServer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/federation/blocklist": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the blocks in force
         * @description Blocks that administrators made, and blocks that follow from reputations.
         *
         *     Needs the permission `block_federation`.
         */
        get: operations["listBlockedServers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/federation/reputation/{server_domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the record of a server
         * @description For a server without any contact the answer is SERVER_UNREACHABLE.
         *
         *     Needs the permission `block_federation`.
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`, `SERVER_UNREACHABLE`.
         */
        get: operations["getServerReputation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/federation/peers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the servers that there was contact with
         * @description The most recently active first, each with its score and what was deducted from it, and why.
         *
         *     Needs the permission `block_federation`.
         */
        get: operations["listPeers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/federation/peer-lists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the block lists of peers
         * @description The lists that this server has fetched and still holds. They lower the reputations of the servers that they name.
         *
         *     Needs the permission `block_federation`.
         */
        get: operations["listPeerBlocklists"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/federation/peer-lists/{server_domain}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the block list of a peer
         * @description The servers on the list when it was last fetched, in the order of their names.
         *
         *     Needs the permission `block_federation`.
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`, `NOT_FOUND`.
         */
        get: operations["getPeerBlocklist"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/federation/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the federation policy
         * @description The policy as it is stored at this moment.
         *
         *     Needs the permission `block_federation`.
         */
        get: operations["getFederationPolicy"];
        /**
         * Set the federation policy
         * @description It applies on every node within a second, and to deliveries at once. It counts against the 100 configuration changes an hour.
         *
         *     Needs the permission `block_federation`.
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`, `INVALID_CONFIG`, `RATE_LIMIT_EXCEEDED`.
         *
         *     Requests are counted by the limit `admin_config_updates`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        put: operations["setFederationPolicy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/federation/outbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the messages that wait for other servers
         * @description Destinations for which messages wait, and how the last attempts went.
         *
         *     Needs the permission `block_federation`.
         */
        get: operations["listOutboxBacklogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/federation/outbox/{server_domain}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a destination at once
         * @description Ends the wait after failed attempts.
         *
         *     Needs the permission `block_federation`.
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`, `NOT_FOUND`.
         */
        post: operations["retryOutbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/federation/outbox/{server_domain}": {
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
         * Drop the messages that wait for a destination
         * @description The messages are lost; their senders are not notified.
         *
         *     Needs the permission `block_federation`.
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`, `NOT_FOUND`.
         */
        delete: operations["purgeOutbox"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the invites that have not expired
         * @description The youngest first. Codes are not stored, so they are not shown.
         *
         *     Needs the permission `verify_devices`.
         */
        get: operations["listInvites"];
        put?: never;
        /**
         * Make an invite
         * @description An invite lets a device register without a delay proof, and is the only way to register on a server that requires invites. The code and the handle, its short form, are shown once and are not stored. An invite can be made for another server that trusts this one; it then has no handle, and its uses are counted there.
         *
         *     Needs the permission `verify_devices`.
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`.
         */
        post: operations["createInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/invites/{invite_id}": {
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
         * Revoke an invite
         * @description No device can register with it any more. Devices that already have stay registered. Revoking it again changes nothing and has the same answer. An invite made for another server cannot be revoked there.
         *
         *     Needs the permission `verify_devices`.
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`.
         */
        delete: operations["revokeInvite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spam/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a message as spam
         * @description Reports to the relay that a device sent this device an unwanted message. The reporter is revealed to no one,
         *     neither to the reported device nor to administrators.
         *
         *     The relay stores no sender with a message, but it can verify a report: the named device must have sent a message of
         *     that id to an address of the reporter, within the time for which duplicates are recognised. A report that fails
         *     the check is answered like any other and has no consequences. Reporting the same message again returns the first
         *     report and is not counted.
         *
         *     The id of a message may commit to a handle. It is a UUIDv7 of a whole minute; the last 62 of its bits are the last 62 of
         *     the first 64 bits of SHA-256 over `mls-relay report handle 1`, the 6 bytes of its time and the handle; the 12 bits after its
         *     version are the last 12 of the first 16 bits of SHA-256 over `mls-relay reportable id 1`, the 6 bytes of its time and 8 bytes with those 62 bits after
         *     two zeros. A report of such a message fails the check unless it has the handle, which the sender has put into
         *     the encrypted message. So receipts and other messages that a device sends without its user's doing, without a handle, prove
         *     nothing against it. Clients that know these ids show nobody a message with such an id that comes without its handle.
         *
         *     Consequences depend on the number of different reporters that have left the New tier. From 3 on the device is
         *     flagged; at `spam_report_block_threshold` (5) it is blocked permanently. If the reports of the last 7 days weigh
         *     more than `spam_score_threshold` (3.5; an Established reporter weighs 0.5, a Trusted or Verified one 1), it is
         *     banned for 7 days. Both apply from its next message on. A report about a device of another server counts against that
         *     server, if a message of that id came from it to the reporter. If the reporter has left the New tier, and the other server
         *     announces `federated_reports`, it gets the report, so that it can act against its device: message id, device, reason, the
         *     address to which the message was sent, and a pseudonym in place of the reporter; not the details.
         *
         *     A device may report 10 devices an hour and 50 a day, and 100 messages of one device a day.
         *
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`, `DEVICE_NOT_FOUND`.
         *
         *     Requests are counted by the limits `spam_reports_hour`, `spam_reports_day` and `spam_reports_of_device`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["reportSpam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/infopackages/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload an info package that the client encrypted
         * @description Stores an encrypted package, for instance a profile or an invitation to a group, under a random address that can
         *     be given to others. The client encrypts with its own key and never sends it here. The package is removed when
         *     it expires, when its last use is consumed, or when its uploader revokes it.
         *
         *     A device may upload 10 packages an hour and 50 a day, encrypted by the device and by the server together; the limits are
         *     the server's settings. A window begins with the first upload counted in it; refused uploads are not counted.
         *
         *
         *     Errors besides those that any request can meet: `INVALID_CONFIG`, `INFOPACKAGE_RATE_LIMIT`.
         *
         *     Requests are counted by the limits `info_package_uploads_hour` and `info_package_uploads_day`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["uploadInfoPackage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/infopackages/{url_segment}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an info package
         * @description Returns the ciphertext and consumes one use, for any client that has the address. Exactly N downloads of a
         *     package with N uses succeed, however many come at once; after that it is exhausted until it would have expired. Every
         *     successful request consumes a use, so keep the answer. Only a request that names a download by `X-Download-Id` may be
         *     repeated if its answer was lost: within an hour the same id consumes no further use.
         *
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `INFOPACKAGE_EXHAUSTED`.
         *
         *     People send this address to each other. A request that accepts `text/html`, or that comes from a program that previews links, is answered 406 with a page, or 303 to an application, and consumes no use, unless it accepts `application/json` or `application/octet-stream` by name. The query parameters `utm_*`, `fbclid`, `gclid`, `msclkid`, `igshid`, `mc_cid` and `mc_eid` are ignored.
         */
        get: operations["getInfoPackage"];
        put?: never;
        post?: never;
        /**
         * Revoke an info package
         * @description Deletes the package; later downloads find nothing. Only the device that uploaded it may do that. A package that
         *     was already revoked, expired or used up is not found.
         *
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `UNAUTHORIZED`.
         */
        delete: operations["revokeInfoPackage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/infopackages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload an info package anonymously
         * @description The same as an upload by a device, but nothing about the uploader is requested or stored. The answer contains a
         *     secret token; a client that presents it may revoke the package. It is returned once, and the server stores only
         *     its hash.
         *
         *     A network address may upload as many packages an hour and a day as a device. It is counted under a hash that
         *     changes daily. An IPv6 /64 counts as one address, and a /48 may upload 16 times as many. All packages of this kind
         *     together take at most 4 GiB, or the operator's limit; an upload beyond that is refused with QUEUE_FULL.
         *
         *
         *     Errors besides those that any request can meet: `INVALID_CONFIG`, `INFOPACKAGE_RATE_LIMIT`, `QUEUE_FULL`.
         *
         *     Requests are counted by the limits `info_package_uploads_hour` and `info_package_uploads_day`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["createRevocableInfoPackage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/infopackages/{segment}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an info package that has a revocation token
         * @description Returns the ciphertext and consumes one use, by the same rules as any other info package. Packages of the other kinds are not found here.
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `INFOPACKAGE_EXHAUSTED`.
         *
         *     People send this address to each other. A request that accepts `text/html`, or that comes from a program that previews links, is answered 406 with a page, or 303 to an application, and consumes no use, unless it accepts `application/json` or `application/octet-stream` by name. The query parameters `utm_*`, `fbclid`, `gclid`, `msclkid`, `igshid`, `mc_cid` and `mc_eid` are ignored.
         */
        get: operations["getRevocableInfoPackage"];
        put?: never;
        post?: never;
        /**
         * Revoke an info package by its token
         * @description Deletes the package; later downloads find nothing. The token is compared in constant time. A package that was already revoked, expired or used up is not found.
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `UNAUTHORIZED`.
         */
        delete: operations["revokeRevocableInfoPackage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/info-packages/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload an info package for the server to encrypt
         * @description The older way, in which the server sees the content. The server encrypts it with ChaCha20-Poly1305 under a random
         *     key and a random nonce, returns the key and forgets it. Neither key nor content is stored or logged.
         *     A client that can encrypt
         *     uploads to `/v1/infopackages/upload` instead, where the server never sees the content.
         *
         *     The plaintext is the content as JSON text, in UTF-8. The content is parsed on its way, so numbers have the precision
         *     of IEEE 754 doubles. Limits are those of the device's other uploads and are counted together with them.
         *
         *
         *     Errors besides those that any request can meet: `INVALID_CONFIG`, `INFOPACKAGE_RATE_LIMIT`.
         *
         *     Requests are counted by the limits `info_package_uploads_hour` and `info_package_uploads_day`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["uploadPlainInfoPackage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/info-packages/{url_segment}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an info package that the server encrypted
         * @description Returns the ciphertext and consumes one use, by the same rules as any other info package. Packages of the other kinds are not found here.
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `INFOPACKAGE_EXHAUSTED`.
         *
         *     People send this address to each other. A request that accepts `text/html`, or that comes from a program that previews links, is answered 406 with a page, or 303 to an application, and consumes no use, unless it accepts `application/json` or `application/octet-stream` by name. The query parameters `utm_*`, `fbclid`, `gclid`, `msclkid`, `igshid`, `mc_cid` and `mc_eid` are ignored.
         */
        get: operations["getPlainInfoPackage"];
        put?: never;
        post?: never;
        /**
         * Revoke an info package that the server encrypted
         * @description Deletes the package; later downloads find nothing. Only the device that uploaded it may do that. A package that was already revoked, expired or used up is not found.
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `UNAUTHORIZED`.
         */
        delete: operations["revokePlainInfoPackage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keypackage/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store key packages
         * @description Stores MLS key packages (RFC 9420, section 10) of the calling device, for others to fetch one by one. The relay does
         *     not read them. Upload 50 to 100 at a time, and again when fewer than 20 are left; an open stream is notified then.
         *
         *     Each package is 64 bytes to 32 KiB, a device may have 500 stored, and one that nobody has fetched expires after 30
         *     days. The same package is stored once: one that is already stored, or was given out before, is skipped and not
         *     counted in `uploaded_count`. So an upload whose answer was lost can be sent again. With the same signature it
         *     changes nothing, so it cannot bring back packages that were replaced since.
         *
         *     With `replace` all packages stored before are dropped in the same step, the last-resort one included: for a device
         *     that has lost its private keys. A last-resort package is the one that may be given out more than once (RFC 9750,
         *     section 5.1); it is given out only when no other is left. A newer one replaces it.
         *
         *     With `address`, the packages are for that address of the device: a claim of a key package by that address gets them first.
         *     Such packages, also the last-resort one, are apart from the others: they are counted separately, a fetch by the
         *     device's id does not get them, and `replace` drops those of the address only. They may have a signature key and a
         *     credential that the device uses for this address alone.
         *
         *     The upload is stored completely or not at all. A device may make 120 in an hour; those that store nothing because they
         *     were sent before, or that fail, are not counted.
         *
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`, `INVALID_SIGNATURE`, `ADDRESS_NOT_FOUND`, `RATE_LIMIT_EXCEEDED`, `CONFLICT`.
         *
         *     Requests are counted by the limit `key_package_uploads`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["uploadKeyPackages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keypackage/fetch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch a key package of a device
         * @description Returns the oldest key package of a device that has not expired, and deletes it: no other device gets the same
         *     one. When none is left, the last-resort package is returned, if the device has stored one.
         *
         *     Send an `X-Claim-Id`: if the answer is lost, the same request gets the same package for a day. Without one, a
         *     repetition gets another package. The id is neither stored nor logged, and the same id of another device, or for another one, is
         *     another fetch.
         *
         *     An hour begins with the first package that is counted in it. In one hour a device gets at most 20 packages of one
         *     device and 300 in all; 10 and 100 while it is new, which is enough for a group of 100. A fetch that returns no package
         *     is not counted.
         *
         *     The limit for each device keeps others from using up its packages: each of them gets a few, and to register more
         *     of them takes a delay proof and a share of the limits of a network address. A device that stores a last-resort
         *     package can be reached even then.
         *
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`, `DEVICE_NOT_FOUND`, `NO_KEY_PACKAGES`.
         *
         *     Requests are counted by the limits `key_package_fetches` and `key_package_fetches_of_device`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        get: operations["fetchKeyPackage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keypackage/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim key packages by address
         * @description Gets a key package for each of up to 100 addresses, of this relay and of up to 16 others, to add their owners to a
         *     group. The answer has an item for each address, in the order of the request: a package, or why there is none. An
         *     address gets a package that was uploaded for it, or else one of its device's others; the last-resort package comes
         *     when no other is left. Nobody else gets the same package, unless it is the last-resort one.
         *
         *     `claim_id` is 32 random bytes, new for each claim, and secret. The same id of another device is another claim. If the
         *     answer is lost, or has PEER_UNAVAILABLE for an address, send the same request again: addresses that have got their
         *     package get the same one for a day. Refusals are not kept. The id is neither stored nor logged, and another relay
         *     gets an id that is made from it.
         *
         *     This relay asks other relays that announce `federated_key_packages` by `POST /federation/v1/keypackages/claim`; those
         *     that do not are FEDERATION_FAILED for their addresses. If another relay is silent for 15 seconds or answers what is unusable, its
         *     addresses are PEER_UNAVAILABLE.
         *
         *     A device may name 600 addresses in an hour, 200 while it is new, repetitions and refusals included; packages of this
         *     relay's devices count as fetched ones, too. A device that has used up its share of another device's packages gets
         *     that device's last-resort package; the same holds for everybody, once a device has given out 60 packages by claims in
         *     an hour. So nobody can use up a device's packages quickly, and nobody is locked out. Without a last-resort
         *     package the first case is RATE_LIMIT_EXCEEDED, and the second one does not apply. A device may claim 10 packages of one
         *     address of another relay in an hour, 3 while it is new; repetitions do not count.
         *
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`, `RATE_LIMIT_EXCEEDED`.
         *
         *     Requests are counted by the limits `key_package_claims`, `key_package_fetches` and `key_package_fetches_of_device`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["claimKeyPackages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keypackage/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how many key packages are left
         * @description How many key packages of the calling device the relay stores: those for all its addresses or, with `address`, those for one of them alone. `total_consumed` counts all packages of the device in either case.
         *
         *     Errors besides those that any request can meet: `INVALID_ADDRESS`, `ADDRESS_NOT_FOUND`.
         */
        get: operations["getKeyPackageStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provisioning/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open an address for linking a device
         * @description A new device, which has no token yet, opens an address at which one encrypted blob can be left for it. It shows the
         *     address and its own ephemeral key to a device of the same user, as a QR code of ephemeral_public_key,
         *     provisioning_address, server and expires_at. The `poll_token` is the new device's own secret and is not part of
         *     the code: a person who photographs the code can neither read nor take the blob.
         *
         *     An address lives for 30 to 300 seconds. A network address may open 10 an hour.
         *
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`.
         *
         *     Requests are counted by the limit `linking_addresses`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["createProvisioning"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provisioning/{id}/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a short code for the QR code
         * @description A new device whose QR code nobody can scan leaves its text, and gets eight letters and digits that a person can type into
         *     the other device (`getLinkingCode`). The relay draws them at random. They name nothing any
         *     more once a blob was left at the address, or it has expired. A repetition gets the same code; the first text counts.
         *
         *     The code is a name and no secret: who knows or guesses it can do what somebody can who photographs the QR code. The relay could
         *     hand out another text, so devices have their user compare a code that both make of the whole exchange.
         *
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `UNAUTHORIZED`.
         */
        post: operations["createLinkingCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/linking-codes/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the QR code of a short code
         * @description A device that is registered here gets the text of the QR code that a new device has left. Unknown and expired codes are NOT_FOUND. The
         *     relay does not record which device has asked.
         *
         *     A device may try 30 codes in an hour.
         *
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`, `NOT_FOUND`.
         *
         *     Requests are counted by the limit `linking_codes`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        get: operations["getLinkingCode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provisioning/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Wait for the encrypted blob
         * @description The new device asks for the blob. It is returned once and then deleted with its address: every later poll is
         *     answered with NOT_FOUND. As long as no blob has been left, the answer is 202, at once or, with `wait`, after that
         *     many seconds.
         *
         *     A poll that names a download by `X-Download-Id` may be repeated if its answer was lost: until the address expires, the
         *     same id gets the blob again, and every other poll NOT_FOUND.
         *
         *     One poll waits at a time. A newer one replaces an older one, which is answered with 202 at once. So a client whose
         *     connection broke can simply poll again.
         *
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `UNAUTHORIZED`.
         */
        get: operations["pollProvisioningBlob"];
        /**
         * Leave the encrypted blob for the new device
         * @description A device that is registered here leaves the payload for the new device, encrypted to the key of the QR code. This
         *     can be done once. The relay neither reads the blob nor records which device left it.
         *
         *     A device may try 30 times in an hour.
         *
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`, `NOT_FOUND`, `CONFLICT`.
         *
         *     Requests are counted by the limit `linking_blobs`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        put: operations["putProvisioningBlob"];
        /**
         * Leave the encrypted blob for the new device, by POST
         * @description The same as the PUT, for clients that upload by POST.
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`, `NOT_FOUND`, `CONFLICT`.
         *
         *     Requests are counted by the limit `linking_blobs`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        post: operations["postProvisioningBlob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how the server is doing
         * @description Every figure is measured, over all nodes. Members whose names end in `_last_24h` always stand for the last 24 hours;
         *     `period` governs `average_size_bytes` and the latencies. Counters are exact to the five minutes at which a period
         *     begins. Devices and queues are counted for each answer up to 50,000 devices, and once a minute on a larger server:
         *     `counted_at` says when.
         *
         *     An administrator may ask for metrics 1000 times an hour.
         *
         *
         *     Needs the permission `view_metrics`.
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`.
         *
         *     Requests are counted by the limit `admin_metrics`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/metrics/timeseries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one metric over time
         * @description A counter has a point for every interval, 0 included; the points add up to exactly the count of the period. A
         *     level (`active_devices`, `queued_messages`, …) has the average of each interval, and no point for an interval in
         *     which nothing was measured.
         *
         *     Intervals begin at multiples of their length since 1970, in UTC. The first one may begin before the period; events
         *     before the period are left out.
         *
         *
         *     Needs the permission `view_metrics`.
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`.
         *
         *     Requests are counted by the limit `admin_metrics`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        get: operations["getMetricsTimeseries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/metrics/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export all metrics as they are now
         * @description Counters since the first start, over all nodes; levels as of now; `docs/reference/metrics.md` lists every name. In the
         *     Prometheus format all nodes answer the same, so take the maximum over nodes, not the sum; values labelled `node`
         *     are of one node.
         *
         *
         *     Needs the permission `view_metrics`.
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`.
         *
         *     Requests are counted by the limit `admin_metrics`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        get: operations["exportMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the audit log
         * @description Entries from `since` to `until`, both included, the youngest first. Entries must match all filters. To read page after
         *     page while entries are being added, send the same `until` with each `offset`.
         *
         *     An administrator may ask 1000 times an hour, exports included.
         *
         *
         *     Needs the permission `view_audit`.
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`.
         *
         *     Requests are counted by the limit `admin_audit_queries`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the audit log
         * @description Entries from `since` to `until`, both included, the oldest first, as one download of any length. An export that
         *     fails ends with a broken connection, never with a shortened file that looks complete.
         *
         *     In CSV an apostrophe precedes a cell whose text begins like a formula, so that spreadsheets show it and do not
         *     evaluate it.
         *
         *
         *     Needs the permission `view_audit`.
         *
         *     Errors besides those that any request can meet: `RATE_LIMIT_EXCEEDED`.
         *
         *     Requests are counted by the limit `admin_audit_queries`. Answers say in `RateLimit` what is left, unless they were made before counting.
         */
        get: operations["exportAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the state of the server's components
         * @description Any administrator may read it. It is also answered while the database is away, to an administrator whom the node
         *     has already authenticated; the component `database` is then unhealthy.
         *
         *     The whole is unhealthy if the database or the message queue is, and degraded if any component is degraded or
         *     unhealthy. `docs/how-to/monitoring.md` gives the rules.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the alerts that are active
         * @description Any administrator may read them. The server raises an alert when its condition is met, and clears it when the
         *     condition no longer holds; all nodes share alerts.
         *     `docs/how-to/monitoring.md` lists conditions and thresholds. The most severe and oldest come first.
         */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/blobs/{blob_id}": {
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
         * Delete a blob without its token
         * @description For a blob that somebody has reported. From the answer on it cannot be downloaded; downloads that have begun are cut off or end. The audit log keeps the first eight characters of its id. The relay cannot tell who created it, or find others by the same device.
         *
         *     Needs the permission `verify_devices`.
         *
         *     Errors besides those that any request can meet: `NOT_FOUND`, `BLOBS_DISABLED`.
         */
        delete: operations["removeBlob"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the backups that were made
         * @description The latest 100 attempts of this server's nodes and of `mls-relay backup`, the latest first. A backup is listed whether or not its file still exists, because files may be moved elsewhere.
         *
         *     Needs the permission `manage_config`.
         */
        get: operations["listBackups"];
        put?: never;
        /**
         * Start a backup
         * @description The leading node begins it within half a minute, and writes it into the folder of scheduled backups. Poll the list to see it finish. CONFLICT if the server has no such folder (BACKUP_DIR), or a backup is requested or running already.
         *
         *     Needs the permission `manage_config`.
         *
         *     Errors besides those that any request can meet: `CONFLICT`.
         */
        post: operations["startBackup"];
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
        /** @description A signed token (JWS, compact form). Send it unchanged, and do not parse it. */
        AccessToken: string;
        /** @description The outcome of an acknowledgement. */
        AcknowledgeMessageResponse: {
            /** @description Whether a message was removed; false if none with this id is queued. */
            acknowledged: boolean;
        };
        /** @description Ids of messages that are decrypted and stored. */
        AcknowledgeMessagesRequest: {
            /** @description An id that is listed twice removes two messages if two are queued. */
            message_ids: string[];
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
             * @description Entries that removed nothing, because the message had expired or was not there, or the id is malformed.
             */
            failed_count: number;
        };
        ActiveAddress: {
            full_address: components["schemas"]["Address"];
            prefix: components["schemas"]["AddressPrefix"];
            /** @description When the device announced it first. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When the device announced it last. */
            announced_at: components["schemas"]["Timestamp"];
            /** @description When it lapses unless the device announces it again. */
            expires_at: components["schemas"]["Timestamp"];
        };
        /**
         * @description A delivery address, `<prefix>@<domain>`. The prefix is 16 bytes as 32 hex characters or as a UUID; the domain is a host name, with a port where it is not the usual one.
         * @example 2f1c6f1e-9a53-4c0e-8d0b-6d1f0c7a3b52@relay.example
         */
        Address: string;
        /** @description The part of an address before the `@`: 16 bytes as 32 hex characters or as a UUID. Two spellings of the same bytes are the same prefix. */
        AddressPrefix: string;
        AdminChallenge: {
            /** @description The text to sign. */
            challenge: components["schemas"]["Challenge"];
            /** @description Until when the challenge is accepted. */
            expires_at: components["schemas"]["Timestamp"];
        };
        /**
         * @description `admin` with the permission `all`; `moderator` with at least one permission to change something; `viewer` otherwise.
         * @enum {string}
         */
        AdminLevel: "admin" | "moderator" | "viewer";
        AdminLoginRequest: {
            /** @description The administrator, by the id on the list or by the public key. */
            device_id: components["schemas"]["DeviceId"];
            challenge: components["schemas"]["Challenge"];
            /** @description By the administrator's key over the challenge, as sent: its 64 characters as UTF-8 text, followed by a newline and the audience where one is sent. */
            challenge_signature: components["schemas"]["Signature"];
            /** @description When the request was made, at most 300 seconds ago and 60 seconds ahead. */
            timestamp: components["schemas"]["Timestamp"];
            audience?: components["schemas"]["Audience"];
        };
        AdminLoginResponse: {
            admin_token: components["schemas"]["AdminSession"];
            /** @description When the token expires. */
            expires_at: components["schemas"]["Timestamp"];
            /** @description The permissions on the list at this moment. A later change of the list applies at once. */
            permissions: components["schemas"]["AdminPermission"][];
            admin_level: components["schemas"]["AdminLevel"];
        };
        AdminLogoutResponse: {
            /**
             * @description Says that the session has ended.
             * @enum {string}
             */
            message: "logged out";
        };
        /**
         * @description What an administrator may do: `view_metrics` reads metrics; `manage_config` changes the configuration and starts backups; `view_audit` reads the audit log; `verify_devices` lists, verifies and blocks devices and makes invites; `block_federation` manages peers; `modify_rate_limits` sets limits of single devices; `all` includes all of them.
         * @enum {string}
         */
        AdminPermission: "view_metrics" | "manage_config" | "view_audit" | "verify_devices" | "block_federation" | "modify_rate_limits" | "all";
        /** @description A signed token (JWS, compact form). Send it unchanged, and do not parse it. */
        AdminSession: string;
        AdminSessionList: {
            /** @description The latest first. */
            sessions: components["schemas"]["OpenAdminSession"][];
        };
        /** @description Hours since registration, to a tenth. */
        AgeHours: number;
        Alert: {
            id: string;
            /** @enum {string} */
            severity: "critical" | "warning" | "info";
            /** @enum {string} */
            component: "server" | "database" | "message_queue" | "federation" | "registration" | "moderation";
            /** @description What is wrong, for people. */
            message: string;
            /** @description When the condition began to hold. */
            started_at: components["schemas"]["Timestamp"];
            /** @description The figures behind it, with the threshold. */
            details: {
                [key: string]: unknown;
            };
        };
        AlertsResponse: {
            active_alerts: components["schemas"]["Alert"][];
            /** Format: int64 */
            total_count: number;
        };
        /** @description Domains, without what is below them; ports are left out. Used only in the allowlist mode. */
        Allowlist: components["schemas"]["Domain"][];
        /** @description Whether only servers on the allowlist are peers. */
        AllowlistMode: boolean;
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
            invite_code?: components["schemas"]["InviteCodeOrHandle"];
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
            server_capabilities: components["schemas"]["AnnouncedCapabilities"];
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
            invite_code?: components["schemas"]["InviteCodeOrHandle"];
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
        /** @description What a device has to know of this relay. The discovery document has all capabilities. */
        AnnouncedCapabilities: {
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
        /** @description 16 bytes as 32 hex characters or as a UUID. The address is given out in the spelling that was announced last, in lower case. */
        AnnouncedPrefix: string;
        /** @description This server's domain. If it is sent, a newline and the audience, as sent, follow the signed text. Send it: without it, a server that receives the request can replay it to another one. */
        Audience: string;
        /**
         * @description An action that the server records. Later versions may record more.
         * @enum {string}
         */
        AuditAction: "device_verified" | "verification_revoked" | "rate_limit_modified" | "federation_blocked" | "federation_unblocked" | "config_updated" | "admin_login" | "admin_logout" | "admin_added" | "admin_permissions_changed" | "admin_removed" | "spam_reported" | "device_blocked" | "device_push_tested" | "device_banned" | "device_unblocked" | "device_deleted" | "ip_unbanned" | "invite_created" | "invite_revoked" | "outbox_retried" | "outbox_purged" | "key_rotated" | "key_revoked" | "master_key_rotated" | "admin_session_ended" | "admin_link_created" | "backup_requested" | "blob_deleted" | "clock_accepted" | "database_restored" | "slot_key_replaced";
        AuditEntry: {
            /** @description Ids sort by time. */
            id: string;
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description What was done.
             * @example device_verified
             * @example verification_revoked
             * @example rate_limit_modified
             * @example federation_blocked
             * @example federation_unblocked
             * @example config_updated
             * @example admin_login
             * @example admin_logout
             */
            action: string;
            /** @description The administrator's device id; null if the server did it, or its operator on the command line. */
            admin: string | null;
            /** @description The device id, the server or the part of the configuration that was changed. */
            target: string | null;
            /** @description Details; their members depend on the action. */
            details: {
                [key: string]: unknown;
            };
            /** @description The administrator's network address; of IPv6 its first 64 bits. */
            ip_address: string | null;
            user_agent: string | null;
        };
        AuditExport: {
            entries: components["schemas"]["AuditEntry"][];
        };
        AuditPage: {
            entries: components["schemas"]["AuditEntry"][];
            /**
             * Format: int64
             * @description Entries that match, on all pages together.
             */
            total_count: number;
            has_more: boolean;
            /**
             * Format: int64
             * @description The offset of the next page; null if there is none.
             */
            next_offset: number | null;
        };
        /** @description A server whose reputation falls below this is blocked for seven days. */
        AutoBlockThreshold: number;
        /**
         * Format: int64
         * @description Packages that can still be given out; the last-resort one does not count.
         */
        AvailableCount: number;
        /** @description An attempt to make a backup. */
        Backup: {
            started_at: components["schemas"]["Timestamp"];
            /** @description When it was complete, or had failed. */
            finished_at: components["schemas"]["Timestamp"];
            /**
             * @description Who started it, the schedule, an administrator, or the operator by a command.
             * @enum {string}
             */
            origin: "schedule" | "administrator" | "command";
            /** @description The name of its file, without the folder. */
            file: string;
            /**
             * Format: int64
             * @description The size of the file; null if the backup failed.
             */
            bytes: number | null;
            /** @description Why the backup failed; null if it did not. */
            problem: string | null;
        };
        BackupList: {
            schedule: components["schemas"]["BackupSchedule"];
            /** @description When an administrator asked for a backup that has not begun; null if none did. */
            requested_at: components["schemas"]["MomentOrNull"];
            /** @description When the backup that is being made began; null if none is. */
            running_since: components["schemas"]["MomentOrNull"];
            backups: components["schemas"]["Backup"][];
        };
        /** @description The server's scheduled backups. */
        BackupSchedule: {
            /** @description Whether it makes any, that is, whether it has a folder for them (BACKUP_DIR). */
            enabled: boolean;
            /**
             * Format: int64
             * @description The age of the latest backup at which the next one is made.
             */
            every_seconds: number;
            /**
             * Format: int64
             * @description How many backups are kept.
             */
            keep: number;
            /** @description Whether they are encrypted (BACKUP_AGE_RECIPIENTS). */
            encrypted: boolean;
        };
        /** @description Bytes in base64, standard alphabet, padded and canonical (RFC 4648, section 4). */
        Base64Text: string;
        /** @description A message in a batch, or in a frame of the stream. Its members mean what they mean in a single message. Only their types are checked with the request or frame; a value for which a single message would be refused rejects this message alone. */
        BatchMessage: {
            /** @description A UUIDv7, with hyphens or as 32 hex characters. */
            message_id: string;
            /** @description A delivery address, `<prefix>@<domain>`. */
            recipient_address: string;
            /** @description The MLS ciphertext in base64, padded and canonical. */
            mls_ciphertext: string;
            /** @description The signature as text of at most 512 printable ASCII characters. */
            sender_signature: string;
            /**
             * Format: int64
             * @description When the message was made, in Unix seconds by the sender's clock.
             */
            timestamp: number;
            system_event?: components["schemas"]["BatchSystemEvent"];
            /**
             * Format: int64
             * @description How long the message is kept, as in a single message.
             */
            expires_in_seconds?: number;
        };
        /** @description The system event of a message in a batch; its values are checked with the message. */
        BatchSystemEvent: {
            /** @description The name of an event, as in a single message. */
            event: string;
            /** @description The group extension that the event is about. */
            extension_type?: string | null;
        };
        /** @description The id of a blob, 32 random bytes as hex. */
        BlobId: string;
        /** @description The blobs of this relay. Absent if it stores none. */
        BlobPolicy: {
            /**
             * Format: int64
             * @description The most bytes that a blob may have.
             */
            max_bytes: number;
        };
        /** @description A token of a blob, 32 random bytes as hex. */
        BlobToken: string;
        /** @description How far an upload is. */
        BlobUpload: {
            /**
             * Format: int64
             * @description The bytes of the blob.
             */
            size: number;
            /**
             * Format: int64
             * @description The size of every part but the last one.
             */
            part_bytes: number;
            /** @description The numbers of the parts that are stored, in ascending order. Empty for a complete blob. */
            stored_parts: number[];
            /** @description Whether the blob is complete. */
            complete: boolean;
            /** @description When the blob ends. */
            expires_at: components["schemas"]["Timestamp"];
        };
        BlockDeviceRequest: {
            reason: components["schemas"]["Reason"];
        };
        /**
         * Format: int64
         * @description When the block expires, in Unix seconds; null for never.
         */
        BlockEnd: number | null;
        /**
         * @description The category of a block's reason.
         * @enum {string}
         */
        BlockReasonCategory: "spam" | "harassment" | "impersonation" | "malware" | "illegal_content" | "other";
        /** @description A server to exchange no messages with. */
        BlockServerRequest: {
            /** @description The server's domain. A port is left out; names below it are blocked as well. */
            server_domain: components["schemas"]["Domain"];
            reason: components["schemas"]["Reason"];
            /**
             * Format: int64
             * @description When the block expires, in Unix seconds; null or left out for never.
             */
            expires_at?: number | null;
            reason_category?: components["schemas"]["BlockReasonCategory"];
            severity?: components["schemas"]["BlockSeverity"];
        };
        /**
         * @description How much harm is expected from a server.
         * @enum {string}
         */
        BlockSeverity: "low" | "medium" | "high" | "critical";
        BlockedDevice: {
            device_id: components["schemas"]["CanonicalDeviceId"];
            /** @description When it was blocked, now or before. */
            blocked_at: components["schemas"]["Timestamp"];
            /** @description The administrator. */
            blocked_by: components["schemas"]["CanonicalDeviceId"];
        };
        /** @description A block as it was made. */
        BlockedServer: {
            server_domain: components["schemas"]["Domain"];
            blocked_at: components["schemas"]["Timestamp"];
            /** @description The administrator. */
            blocked_by: components["schemas"]["CanonicalDeviceId"];
            reason: components["schemas"]["Reason"];
            expires_at: components["schemas"]["BlockEnd"];
            reason_category: components["schemas"]["BlockReasonCategory"];
            severity: components["schemas"]["BlockSeverity"];
        };
        /** @description A device's id in its one canonical form, the BLAKE3-256 hash of its public key in lower-case hex. */
        CanonicalDeviceId: string;
        /**
         * @description A UUIDv7 with hyphens, in lower case.
         * @example 0193a5f0-7b1c-7c3e-9d52-4f6a8b0c1d2e
         */
        CanonicalMessageId: string;
        /** @description 32 random bytes as hex. */
        Challenge: string;
        /** @description 32 random bytes as hex, which nobody else knows. */
        ClaimId: string;
        /** @description A claim of key packages. */
        ClaimKeyPackagesRequest: {
            claim_id: components["schemas"]["ClaimId"];
            addresses: components["schemas"]["ClaimedAddresses"];
        };
        /** @description Delivery addresses. */
        ClaimedAddresses: components["schemas"]["Address"][];
        /** @description A key package for one address, or why there is none: ADDRESS_NOT_FOUND, NO_KEY_PACKAGES, RATE_LIMIT_EXCEEDED with its members, INVALID_ADDRESS, FEDERATION_FAILED, FEDERATION_DISABLED, or PEER_UNAVAILABLE with `retry_after`. */
        ClaimedKeyPackage: {
            /** @description The address as it was sent. */
            address: components["schemas"]["Address"];
            key_package?: components["schemas"]["KeyPackage"];
            /** @description True if it is the last-resort package, which others may get as well; left out otherwise. */
            last_resort?: boolean;
            error?: components["schemas"]["ErrorName"];
            code?: components["schemas"]["ErrorCode"];
            limit?: components["schemas"]["RateLimit"];
            reset_at?: components["schemas"]["ResetAt"];
            retry_after?: components["schemas"]["RetryAfter"];
        };
        /** @description What a claim has got. */
        ClaimedKeyPackages: {
            /** @description One item for each address, in the order of the request. */
            claims: components["schemas"]["ClaimedKeyPackage"][];
        };
        /** @description A blob that can be downloaded. */
        CompletedBlob: {
            /**
             * Format: int64
             * @description The bytes of the blob.
             */
            size: number;
            /** @description When the blob ends. */
            expires_at: components["schemas"]["Timestamp"];
        };
        ConfirmPushSubscriptionRequest: {
            /** @description The code that was pushed to the endpoint. */
            code: string;
        };
        /**
         * Format: int64
         * @description How many.
         */
        Count: number;
        /** @description A blob to be uploaded. */
        CreateBlobRequest: {
            /**
             * Format: int64
             * @description The bytes of the encrypted file. `blobs.max_bytes` of the discovery document is the most.
             */
            size: number;
            /**
             * Format: int64
             * @description After how many seconds the blob ends, at least. Lifetimes of a day or more are extended to the full hour.
             */
            lifetime_seconds: number;
            /**
             * Format: int64
             * @description After how many downloads the blob ends. Without it, downloads are not counted.
             */
            max_downloads?: number;
        };
        CreateInviteRequest: {
            /** @default 1 */
            max_uses?: components["schemas"]["InviteUses"];
            /** @description When the invite ends, at most 30 days ahead; without it after 7 days. */
            expires_at?: components["schemas"]["Timestamp"];
            /** @description The server where it can be used; this one without it. */
            domain?: components["schemas"]["Domain"];
        };
        CreateLinkingCodeRequest: {
            qr: components["schemas"]["LinkingQr"];
        };
        CreateLinkingCodeResponse: {
            linking_code: components["schemas"]["LinkingCode"];
            /** @description When the code expires, together with the address. */
            expires_at: components["schemas"]["Timestamp"];
        };
        CreateProvisioningRequest: {
            /** @description The Ed25519 key that the blob will be encrypted to, made for this linking alone. The relay checks that it is a usable key, and does not store it. */
            ephemeral_public_key: components["schemas"]["PublicKey"];
            /**
             * Format: int64
             * @description How long the address lives.
             * @example 300
             */
            ttl_seconds: number;
            /** @description The new device's time, at most 300 seconds behind the server's and 60 seconds ahead of it. */
            timestamp: components["schemas"]["Timestamp"];
        };
        CreateProvisioningResponse: {
            /** @description `<uuid>@<domain>`. It is the id in the paths of the other operations, whole or only the part before the `@`. */
            provisioning_address: components["schemas"]["Address"];
            poll_token: components["schemas"]["PollToken"];
            /** @description When the address expires, together with a blob that was not taken. */
            expires_at: components["schemas"]["Timestamp"];
        };
        /** @description A package that the client has encrypted. */
        CreateRevocableInfoPackageRequest: {
            ciphertext: components["schemas"]["InfoPackageCiphertext"];
            ttl_seconds: components["schemas"]["InfoPackageTtl"];
            max_uses?: components["schemas"]["InfoPackageMaxUses"];
        };
        /** @description The package's URL, and the secret that revokes it. */
        CreateRevocableInfoPackageResponse: {
            url: components["schemas"]["InfoPackageUrl"];
            revocation_token: components["schemas"]["RevocationToken"];
            /** @description When the package expires, in Unix seconds. */
            expires_at: components["schemas"]["Timestamp"];
            max_uses: components["schemas"]["InfoPackageMaxUses"];
        };
        /** @description A blob whose space is reserved. */
        CreatedBlob: {
            /** @description The id of the blob, which is all that a reader needs. */
            blob_id: string;
            /** @description Allows to upload and complete the blob. */
            upload_token: string;
            /** @description Allows to delete the blob. */
            delete_token: string;
            /**
             * Format: int64
             * @description The size of every part but the last one.
             */
            part_bytes: number;
            /**
             * Format: int64
             * @description The number of parts.
             */
            parts: number;
            /** @description When the blob ends. */
            expires_at: components["schemas"]["Timestamp"];
        };
        CreatedInvite: {
            invite_id: components["schemas"]["UuidV4"];
            invite_code: components["schemas"]["InviteCode"];
            invite_handle?: components["schemas"]["InviteHandle"];
            max_uses: components["schemas"]["InviteUses"];
            domain: components["schemas"]["Domain"];
            expires_at: components["schemas"]["Timestamp"];
            created_at: components["schemas"]["Timestamp"];
            /** @description The administrator. */
            created_by: components["schemas"]["CanonicalDeviceId"];
        };
        DataPoint: {
            /** @description The first second of the interval. */
            timestamp: components["schemas"]["Timestamp"];
            value: number;
        };
        DatabaseHealth: {
            status: components["schemas"]["HealthStatus"];
            /** @description How long the simplest query took just now; null if it was not answered. */
            latency_ms: number | null;
            details: components["schemas"]["HealthDetails"];
            /** @description Present if the component is unhealthy. */
            error?: string;
        };
        /** @description Proves that time was spent on a challenge. state = SHA-256(input); then `iterations` times state = SHA-256(state); output = state. */
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
        /** @description A blob that was deleted. */
        DeletedBlob: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            deleted: true;
        };
        DeletedDevice: {
            device_id: components["schemas"]["CanonicalDeviceId"];
            deleted_at: components["schemas"]["Timestamp"];
        };
        /** @description Messages of one relay for another. */
        DeliverTransactionRequest: {
            /** @description The domain of the calling relay, as in its token and in the header `X-Origin-Server`. */
            origin_server: components["schemas"]["Domain"];
            /** @description The same as in the path. */
            transaction_id: components["schemas"]["TransactionId"];
            /**
             * Format: int64
             * @description When the request was made, in Unix seconds. Not compared with anything.
             */
            timestamp: number;
            /** @description The messages, in the order in which they are to be queued. 50 to 100 are recommended, more for relays whose discovery document offers more in `max_transaction_messages`. */
            messages: components["schemas"]["FederatedMessage"][];
        } & {
            [key: string]: unknown;
        };
        /** @description The outcome of a transaction. */
        DeliverTransactionResponse: {
            /** @description As it was sent. */
            transaction_id: components["schemas"]["TransactionId"];
            /**
             * @description `accepted`: all messages are queued; `rejected`: none is; `partial`: some are.
             * @enum {string}
             */
            status: "accepted" | "partial" | "rejected";
            /** @description Ids of messages that are queued, now or by an earlier delivery, as they were sent. */
            accepted_messages: components["schemas"]["MessageId"][];
            /** @description The others, each with the reason. */
            rejected_messages: components["schemas"]["RejectedMessage"][];
            /** @description When the transaction was processed. A repeated transaction is answered with the time of the first. */
            timestamp: components["schemas"]["Timestamp"];
        };
        /** @description An address that the device has taken. In the answers of announcements `delivery_address` is this object; everywhere else an address is the string that `full_address` has. */
        DeliveryAddress: {
            full_address: components["schemas"]["Address"];
            /** @description The random part of the address. */
            prefix: components["schemas"]["UuidV4"];
            created_at: components["schemas"]["Timestamp"];
        };
        /**
         * @description `immediate`: the recipient has a stream open and does not hide it. `delayed`: the recipient may be offline, or the message had been accepted before.
         * @enum {string}
         */
        DeliveryEstimate: "immediate" | "delayed";
        DeviceAddresses: {
            addresses: components["schemas"]["ActiveAddress"][];
        };
        /** Format: int64 */
        DeviceCount: number;
        DeviceDetail: {
            device_id: components["schemas"]["CanonicalDeviceId"];
            registered_at: components["schemas"]["Timestamp"];
            age_hours: components["schemas"]["AgeHours"];
            trust_tier: components["schemas"]["TrustTier"];
            /** @description Whether an administrator has verified the device. A block or ban takes precedence. */
            admin_verified: boolean;
            verified_at: components["schemas"]["MomentOrNull"];
            /** @description The administrator who verified the device. */
            verified_by: string | null;
            blocked_at: components["schemas"]["MomentOrNull"];
            /** @description When the ban ends, or ended; null if there was none. */
            banned_until: components["schemas"]["MomentOrNull"];
            metrics: components["schemas"]["DeviceMetrics"];
            rate_limiting: components["schemas"]["DeviceRateLimiting"];
            spam: components["schemas"]["DeviceSpam"];
            federation: components["schemas"]["DeviceFederation"];
        };
        /** @description The device's messages to other servers. */
        DeviceFederation: {
            /** @description Domains of the servers that the device's messages have gone to. */
            domains_contacted: components["schemas"]["Domain"][];
            federated_messages_sent: components["schemas"]["DeviceCount"];
            federated_messages_received: components["schemas"]["DeviceCount"];
        };
        /** @description Every device is in one of the tiers or is blocked; `total` is their sum. */
        DeviceFigures: {
            total: components["schemas"]["Count"];
            /** @description Devices that used the server; known to the hour. */
            active_last_24h: components["schemas"]["Count"];
            /** @description Devices that registered. */
            new_last_24h: components["schemas"]["Count"];
            /** @description Devices in the Verified tier. */
            verified: components["schemas"]["Count"];
            /** @description Devices that are blocked or banned. */
            blocked: components["schemas"]["Count"];
            by_trust_tier: components["schemas"]["TierCounts"];
        };
        /**
         * @description Names a device: the BLAKE3-256 hash of its raw Ed25519 public key, as 64 hex characters. In a request, the public key itself as 64 hex characters is accepted as well, and the answer repeats the spelling sent.
         * @example 4f9d4bb1d4c0f5a6b1b8f3b2e4f4b5a1c7d8e9f00112233445566778899aabbc
         */
        DeviceId: string;
        /** @description How much a device may still do. */
        DeviceLimits: {
            trust_tier: components["schemas"]["TrustTier"];
            /** @description The next tier that the device reaches without an administrator; absent if there is none. */
            next_tier?: components["schemas"]["TrustTier"];
            /** @description When it reaches that tier. Present where `next_tier` is. */
            next_tier_at?: components["schemas"]["Timestamp"];
            /** @description The limits of the device, in no particular order. `messages`, `online_messages` and `misses` are absent for a device whose messages are not limited. New names may be added. */
            limits: components["schemas"]["LimitState"][];
            /** @description The server's time at which the numbers were read. */
            server_timestamp: components["schemas"]["Timestamp"];
        };
        DeviceList: {
            devices: components["schemas"]["ListedDevice"][];
            has_more: boolean;
            /**
             * Format: int64
             * @description The offset of the next page; null if there is none.
             */
            next_offset: number | null;
        };
        /** @description What the device has done. */
        DeviceMetrics: {
            messages_sent: components["schemas"]["DeviceCount"];
            messages_received: components["schemas"]["DeviceCount"];
            /** @description Verified reports against the device. */
            spam_reports: components["schemas"]["DeviceCount"];
            /** @description Reports that the device has made. */
            spam_reports_by_device: components["schemas"]["DeviceCount"];
            /** @description When the device last did something, up to an hour behind. */
            last_active: components["schemas"]["Timestamp"];
        };
        /** @description What the device may send. */
        DeviceRateLimiting: {
            /**
             * Format: int64
             * @description The messages per window, before what is carried over; null if no limit applies.
             */
            current_limit: number | null;
            /** @description The messages sent in the window that is open. */
            messages_this_hour: components["schemas"]["DeviceCount"];
            /** @description When the open window ends; null if none is open, because it begins with the next message. */
            reset_at: components["schemas"]["MomentOrNull"];
            /**
             * Format: int64
             * @description The device's own limit; null if there is none.
             */
            custom_limit: number | null;
            custom_limit_expires_at: components["schemas"]["MomentOrNull"];
        };
        /** @description The total of the reports against the device. */
        DeviceSpam: {
            /** @description Different devices with verified reports that count, that is, devices that have left the New tier. At `progressive_trust.spam_report_block_threshold` the device is blocked. */
            counted_reporters: components["schemas"]["DeviceCount"];
            /**
             * Format: double
             * @description The weight of those of the last 7 days. Above `progressive_trust.spam_score_threshold` the device is banned.
             */
            score: number;
            warning: components["schemas"]["SpamWarning"];
        };
        DiscoveryDocument: {
            /** @description The domain of this relay, as in its addresses. */
            server: components["schemas"]["Domain"];
            /** @description A name for people. */
            server_name: string;
            /** @description The base address for devices and administrators. */
            base_url: components["schemas"]["HttpUrl"];
            /** @description The base address for other relays. */
            federation_url: components["schemas"]["HttpUrl"];
            versions: components["schemas"]["ProtocolVersions"];
            capabilities: components["schemas"]["ServerCapabilities"];
            /** @description Whether this relay exchanges messages with other relays. */
            federation_enabled: boolean;
            stream: components["schemas"]["StreamLimits"];
            /**
             * Format: int64
             * @description The same as in `stream`.
             */
            max_connections_per_device?: number;
            /**
             * Format: int64
             * @description The same as in `stream`.
             */
            max_message_backlog?: number;
            /**
             * Format: int64
             * @description The same as in `stream`.
             */
            keepalive_interval_seconds?: number;
            /**
             * Format: int64
             * @description The same as in `stream`.
             */
            connection_timeout_seconds?: number;
            registration: components["schemas"]["RegistrationPolicy"];
            slots?: components["schemas"]["SlotPolicy"];
            push?: components["schemas"]["PushPolicy"];
            blobs?: components["schemas"]["BlobPolicy"];
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
        EndedAddress: {
            full_address: components["schemas"]["Address"];
            /** @description From when on the address gets no messages. */
            ended_at: components["schemas"]["Timestamp"];
        };
        EndedAdminSession: {
            session_id: components["schemas"]["UuidV4"];
            ended_at: components["schemas"]["Timestamp"];
        };
        /** @description The body of every error answer. Which of the optional members it carries depends on the error. */
        ErrorBody: {
            error: components["schemas"]["ErrorName"];
            /** @description A description of the error for developers. Its wording may change; do not compare it. */
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
             * @description Why `/readyz` answers that the node takes no requests: `draining`, `clock` (the time is not trusted), `database` (it does not answer, or accepts no writes), `disk` (no space is left on the database's disk), or `files` (the node has as many open files as it may have).
             * @enum {string}
             */
            reason?: "draining" | "clock" | "database" | "disk" | "files";
            limit?: components["schemas"]["RateLimit"];
            reset_at?: components["schemas"]["ResetAt"];
            retry_after?: components["schemas"]["RetryAfter"];
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
        ErrorCode: 4000 | 4001 | 4002 | 4003 | 4004 | 4005 | 4006 | 4007 | 4008 | 4009 | 4010 | 4011 | 4012 | 4013 | 4014 | 4015 | 4016 | 4017 | 4018 | 4019 | 4020 | 4021 | 4022 | 4023 | 4024 | 4025 | 4026 | 4027 | 4028 | 4031 | 4032 | 4036 | 4037 | 4040 | 4060 | 4061 | 5000 | 5001 | 5002 | 5003 | 5004 | 5005 | 5008 | 5060;
        /** @description One member of the request at fault. */
        ErrorDetail: {
            /** @description Where the member is, for example `body/messages/3/timestamp` or `query/limit`. */
            path: string;
            /** @description What is wrong with it. */
            message: string;
        };
        /**
         * @description The error's name. It distinguishes two errors with the same code.
         * @enum {string}
         */
        ErrorName: "ADDRESS_LIMIT" | "ADDRESS_NOT_FOUND" | "ADDRESS_TAKEN" | "BLOBS_DISABLED" | "CHALLENGE_EXPIRED" | "CONFLICT" | "DATABASE_UNAVAILABLE" | "DEVICE_NOT_ANNOUNCED" | "DEVICE_NOT_FOUND" | "DIGEST_MISMATCH" | "FEDERATION_DISABLED" | "FEDERATION_FAILED" | "INFOPACKAGE_EXHAUSTED" | "INFOPACKAGE_RATE_LIMIT" | "INSUFFICIENT_PERMISSIONS" | "INTERNAL" | "INVALID_ADDRESS" | "INVALID_ADMIN" | "INVALID_CERTIFICATE" | "INVALID_CONFIG" | "INVALID_PROOF" | "INVALID_REQUEST" | "INVALID_SIGNATURE" | "INVALID_TOKEN" | "IP_BANNED" | "MESSAGE_TOO_LARGE" | "METHOD_NOT_ALLOWED" | "NOT_FOUND" | "NO_KEY_PACKAGES" | "OVERLOADED" | "PEER_UNAVAILABLE" | "PUSH_CODE_WRONG" | "PUSH_DISABLED" | "PUSH_ENDPOINT_REFUSED" | "QUEUE_FULL" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMIT_EXCEEDED" | "REGISTRATION_CLOSED" | "REQUEST_TIMEOUT" | "SERVER_BLOCKED" | "SERVER_UNREACHABLE" | "SLOTS_RESTARTED" | "SLOT_EXPIRED" | "UNAUTHORIZED" | "UNSUPPORTED_MEDIA_TYPE";
        ExportedMetric: {
            name: string;
            /** @enum {string} */
            type: "counter" | "gauge" | "histogram";
            /** @description What is measured. */
            help: string;
            samples: components["schemas"]["MetricSample"][];
        };
        /** @description A claim of another relay's device for key packages of the called relay. */
        FederatedClaimRequest: {
            /** @description The domain of the calling relay, as in its token and in X-Origin-Server. */
            origin_server: components["schemas"]["Domain"];
            claim_id: components["schemas"]["ClaimId"];
            addresses: components["schemas"]["ClaimedAddresses"];
        } & {
            [key: string]: unknown;
        };
        /** @description A message for a device of the called relay. It needs `message_id`, `recipient_address`, `mls_ciphertext`, `sender_signature` and `timestamp`. Without one of them, or with a value for which a device's message would be refused, this message alone is rejected. A value of another type than described counts as absent. */
        FederatedMessage: {
            /** @description A UUIDv7, with hyphens or as 32 hex characters. */
            message_id?: string | null;
            /** @description A delivery address of the called relay. */
            recipient_address?: string | null;
            /** @description The MLS ciphertext in base64, padded and canonical. A message without it is rejected, unless it has `ciphertext_from`. */
            mls_ciphertext?: string | null;
            /**
             * Format: int64
             * @description In place of `mls_ciphertext`: this message has the same ciphertext as an earlier one of this transaction, which has a ciphertext itself. The number is that one's index in `messages`, from 0. A message that names a later one, or that has a ciphertext as well, is rejected. Only for relays whose discovery document has `shared_ciphertexts`.
             */
            ciphertext_from?: number;
            /**
             * Format: int64
             * @description In place of `mls_ciphertext`, in a body of the type `application/vnd.svc-delivery`: the length of this message's ciphertext among the bytes behind the JSON. A message that has `mls_ciphertext` as well is rejected. Ignored in other bodies.
             */
            ciphertext_bytes?: number;
            /** @description 1 to 512 printable ASCII characters, usually a signature of 64 bytes as text; forwarded unchanged. */
            sender_signature?: string | null;
            /**
             * Format: int64
             * @description When the message was made, in Unix seconds by the sender's clock.
             */
            timestamp?: number | null;
            system_event?: components["schemas"]["FederatedSystemEvent"];
            /**
             * Format: int64
             * @description Seconds after which the message expires if it was not acknowledged, counted from its arrival; never longer than the called relay keeps messages. Left out if the sender chose none. Only for relays whose discovery document has `federated_lifetimes`.
             */
            expires_in_seconds?: number;
            /** @description A keyed hash of sender, message id and recipient, by which the calling relay identifies this message. It reveals nothing. A message with a tag that the same relay has sent before is a duplicate. Only for relays whose discovery document has `dedup_tags`. */
            dedup_tag?: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Asks for a slot of the called relay. With `content`, `slot_key`, `public_key` and `signature` the slot is taken, unless it is taken already. With none of them it is only read. */
        FederatedSlotRequest: {
            /** @description The domain of the calling relay, as in its token and in X-Origin-Server. */
            origin_server: components["schemas"]["Domain"];
            slot: components["schemas"]["SlotName"];
            content?: components["schemas"]["SlotContent"];
            /** @description The slot key that the group expects the called relay to have. */
            slot_key?: components["schemas"]["PublicKey"];
            public_key?: components["schemas"]["TakingKey"];
            signature?: components["schemas"]["TakingSignature"];
            path?: components["schemas"]["TakingPath"];
        } & {
            [key: string]: unknown;
        };
        /** @description The system event of a message; its values are checked with the message. Only for relays whose discovery document has `system_events`. */
        FederatedSystemEvent: {
            /** @description The name of an event, as in a message of a device. */
            event: string;
            /** @description The group extension that the event is about. */
            extension_type?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description A relay's certificate, and the proof that it has its key. */
        FederationAuthRequest: {
            /** @description The domain of the calling relay, for which the certificate must be. */
            origin_server: components["schemas"]["Domain"];
            /** @description The certificate in DER, followed by the intermediates in DER, all together in base64. At most five intermediates and 32 KiB. PEM, and base64 of PEM, are accepted as well. If the certificate comes without intermediates and needs some, those count that the domain's server shows in TLS. */
            server_certificate: string;
            /** @description A compact JWS by the certificate's key (EdDSA, ES256, ES384, ES512, PS256 or RS256) with the `typ` `svc-federation-answer+jwt`. Its payload is a JSON object of `nonce`, `origin_server` (as above) and `aud`, the domain whose discovery document led here. */
            challenge_response: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A session of the calling relay. */
        FederationAuthResponse: {
            federation_token: components["schemas"]["AccessToken"];
            /** @description When the token ends. Ask for a new one when less than five minutes are left. */
            expires_at: components["schemas"]["Timestamp"];
            rate_limits: components["schemas"]["FederationRateLimits"];
        };
        FederationBlock: {
            domain: components["schemas"]["Domain"];
            blocked_at: components["schemas"]["Timestamp"];
            /** @description Why. */
            reason: string;
            /** @description The administrator's device id; null if the server did it because of the reputation. */
            blocked_by: string | null;
            expires_at: components["schemas"]["BlockEnd"];
            reason_category: components["schemas"]["BlockReasonCategory"];
            severity: components["schemas"]["BlockSeverity"];
        };
        /** @description The blocks in force. */
        FederationBlocklist: {
            /** @description The latest first. */
            blocked_servers: components["schemas"]["FederationBlock"][];
            /**
             * Format: int64
             * @description How many blocks there are, whether or not they are in the answer.
             */
            total_blocked: number;
        };
        /** @description Who wants to authenticate. */
        FederationChallengeRequest: {
            /** @description The domain of the calling relay, as it stands in its addresses. */
            origin_server: components["schemas"]["Domain"];
        } & {
            [key: string]: unknown;
        };
        /** @description A nonce for one authentication. */
        FederationChallengeResponse: {
            /** @description 32 bytes as hex. Good once, and for the relay that asked. */
            nonce: string;
            /** @description When the nonce ends, five minutes after it was made. */
            expires_at: components["schemas"]["Timestamp"];
        };
        FederationFigures: {
            /** @description Known servers whose status is active. */
            active_peers: components["schemas"]["Count"];
            /** @description Blocks in force. */
            blocked_peers: components["schemas"]["Count"];
            /** @description Messages delivered to other servers. */
            messages_sent_last_24h: components["schemas"]["Count"];
            /** @description Messages delivered by other servers. */
            messages_received_last_24h: components["schemas"]["Count"];
            /** @description Messages that could not be delivered to another server and were given up. */
            failed_deliveries_last_24h: components["schemas"]["Count"];
        };
        FederationHealth: {
            status: components["schemas"]["HealthStatus"];
            /**
             * Format: int64
             * @description Messages waiting for other servers; null if they could not be counted.
             */
            queue_size: number | null;
            details: components["schemas"]["HealthDetails"];
            /** @description Present if the component is unhealthy. */
            error?: string;
        };
        /** @description Which servers are peers. The same settings as the `federation` group of the configuration, and the list. */
        FederationPolicy: {
            allowlist_mode: components["schemas"]["AllowlistMode"];
            allowlist: components["schemas"]["Allowlist"];
            auto_block_threshold: components["schemas"]["AutoBlockThreshold"];
            require_certificate_validation: components["schemas"]["RequireCertificateValidation"];
            publish_blocklist: components["schemas"]["PublishBlocklist"];
        };
        /** @description What the calling relay may deliver, together with the others of its registrable domain. */
        FederationRateLimits: {
            /**
             * Format: int64
             * @description Messages in a minute.
             * @example 1000
             */
            messages_per_minute: number;
            /**
             * Format: int64
             * @description Deliveries in a minute.
             * @example 100
             */
            transactions_per_minute: number;
        };
        /** @description The exchange with other servers. */
        FederationSettings: {
            /**
             * @description Whether messages are exchanged with other servers.
             * @default true
             */
            enabled: boolean;
            /**
             * @description Whether only servers on the allowlist are peers.
             * @default false
             */
            allowlist_mode: boolean;
            /**
             * @description Reputation below which a peer is blocked.
             * @default 0.3
             */
            auto_block_threshold: number;
            /**
             * @description Whether the block list is published.
             * @default false
             */
            publish_blocklist: boolean;
            /**
             * @description Whether peers must prove their domain by a valid certificate.
             * @default true
             */
            certificate_validation: boolean;
        };
        /** @description Keys of the group `federation` to change. */
        FederationSettingsChange: {
            /** @description Whether messages are exchanged with other servers. */
            enabled?: boolean;
            /** @description Whether only servers on the allowlist are peers. */
            allowlist_mode?: boolean;
            /** @description Reputation below which a peer is blocked. */
            auto_block_threshold?: number;
            /** @description Whether the block list is published. */
            publish_blocklist?: boolean;
            /** @description Whether peers must prove their domain by a valid certificate. */
            certificate_validation?: boolean;
        };
        FetchKeyPackageResponse: {
            /** @description The device, in the spelling of the request. */
            device_id: components["schemas"]["DeviceId"];
            key_package: components["schemas"]["KeyPackage"];
            remaining: components["schemas"]["AvailableCount"];
            /** @description True if it is the last-resort package, which others may get as well; left out otherwise. */
            last_resort?: boolean;
        };
        /** @description A spam report of a device of the calling relay about a device of the called one. */
        ForwardSpamReportRequest: {
            /** @description The domain of the calling relay, as in its token and in the header `X-Origin-Server`. */
            origin_server: components["schemas"]["Domain"];
            /** @description A keyed hash of the reporter, by which the called relay tells reporters apart. The same in all reports to one relay, and another one for each relay. */
            reporter: string;
            message_id: components["schemas"]["MessageId"];
            /** @description The device of the called relay that sent the message; its id or its public key. */
            sender_id: components["schemas"]["DeviceId"];
            /** @description The address at the calling relay to which the message was sent. */
            recipient_address: components["schemas"]["Address"];
            report_handle?: components["schemas"]["ReportHandle"];
            reason: components["schemas"]["SpamReason"];
        } & {
            [key: string]: unknown;
        };
        /** @description That the report was received. It does not tell what came of it. */
        ForwardSpamReportResponse: {
            /** @description Always true. */
            received: boolean;
        };
        GetLinkingCodeResponse: {
            qr: components["schemas"]["LinkingQr"];
        };
        /** @description What a message to many, and a batch of copies of one message (`one_message`), count in the limit `messages` of Trusted and Verified devices: one for each `recipients_per_message` recipients begun, or for fewer if their ciphertexts would take more than `bytes_per_message`. For other devices each recipient counts. Absent means that a batch takes no `one_message`. */
        GroupMessageCost: {
            /**
             * Format: int64
             * @description The most recipients that count as one message.
             */
            recipients_per_message: number;
            /**
             * Format: int64
             * @description The most bytes of ciphertext, added up over the recipients, that count as one message.
             */
            bytes_per_message: number;
        };
        Health: {
            status: components["schemas"]["HealthStatus"];
            timestamp: components["schemas"]["Timestamp"];
            version: components["schemas"]["InterfaceVersion"];
            software_version: components["schemas"]["SoftwareVersion"];
            /**
             * Format: int64
             * @description Seconds since the node that answers started.
             */
            uptime_seconds: number;
            components: components["schemas"]["HealthComponents"];
            /** @description One sentence for each problem, active alerts included. */
            warnings: string[];
        };
        HealthComponents: {
            database: components["schemas"]["DatabaseHealth"];
            message_queue: components["schemas"]["QueueHealth"];
            federation: components["schemas"]["FederationHealth"];
            websocket: components["schemas"]["StreamHealth"];
        };
        /** @description The figures behind the status; their members depend on the component. */
        HealthDetails: {
            [key: string]: unknown;
        };
        /** @enum {string} */
        HealthStatus: "healthy" | "degraded" | "unhealthy";
        /** @description Names a package of one of the other kinds. 16 random bytes as hex, in either case. */
        HexSegment: string;
        /** @description An absolute http or https URL without a trailing slash. */
        HttpUrl: string;
        /** @description A downloaded package. */
        InfoPackage: {
            ciphertext: components["schemas"]["InfoPackageCiphertext"];
            package_type: components["schemas"]["InfoPackageType"];
            /** @description When the package was uploaded, in Unix seconds. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When the package expires, in Unix seconds. */
            expires_at: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description How many more downloads there are after this one; null for any number.
             * @example 4
             */
            remaining_uses: number | null;
        };
        /** @description The encrypted package in base64, padded and canonical, at most 1 MiB of bytes. The server does not interpret it; clients that follow the convention put a 12-byte nonce first and the 16-byte tag last. */
        InfoPackageCiphertext: string;
        /** @description The plaintext of a package that the server encrypts. */
        InfoPackageContent: {
            [key: string]: unknown;
        };
        /**
         * Format: int64
         * @description After how many downloads the package is used up; null, or left out, for any number.
         * @example 5
         */
        InfoPackageMaxUses: number | null;
        /** @description The package is revoked. */
        InfoPackageRevoked: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            revoked: true;
            /** @description When it was revoked, in Unix seconds. */
            revoked_at: components["schemas"]["Timestamp"];
        };
        /**
         * Format: int64
         * @description How many seconds the package lives, from a minute to 30 days.
         * @example 86400
         */
        InfoPackageTtl: number;
        /**
         * @description The kind of content, as the uploader states it. The server does not interpret it.
         * @enum {string}
         */
        InfoPackageType: "identity" | "group_invite";
        /** @description Where the package can be downloaded. */
        InfoPackageUrl: string;
        /**
         * @description The version of the interface that the server speaks, as this document has it.
         * @example 1.0.0
         */
        InterfaceVersion: string;
        Invite: {
            invite_id: components["schemas"]["UuidV4"];
            max_uses: components["schemas"]["InviteUses"];
            /**
             * Format: int64
             * @description How many devices have registered with it here.
             */
            uses: number;
            domain: components["schemas"]["Domain"];
            expires_at: components["schemas"]["Timestamp"];
            created_at: components["schemas"]["Timestamp"];
            /** @description The administrator. */
            created_by: components["schemas"]["CanonicalDeviceId"];
            /**
             * Format: int64
             * @description Unix time in seconds; null if the invite has not been revoked.
             */
            revoked_at: number | null;
        };
        /** @description An invite, a signed token (JWS, compact form) of this server or of one that it trusts for invites. */
        InviteCode: string;
        /** @description An invite: a signed token (JWS, compact form) of this server or of one that it trusts for invites; or the handle of an invite of this server, in either case, with hyphens, spaces or neither between its groups, and with O for 0 and I or L for 1. */
        InviteCodeOrHandle: string;
        /** @description The short form of an invite, for people who type it: 20 characters of Crockford's base32, of which the last checks the others. It stands for the code at the server that made it, and nowhere else. */
        InviteHandle: string;
        InviteList: {
            invites: components["schemas"]["Invite"][];
            /**
             * Format: int64
             * @description How many invites there are, whether or not they are in the answer.
             */
            total_count: number;
        };
        /**
         * Format: int64
         * @description How many devices can register with the invite.
         */
        InviteUses: number;
        /** @description An MLS key package in base64, padded and canonical (RFC 4648, section 4); 64 bytes to 32 KiB. The relay does not read it. */
        KeyPackage: string;
        KeyPackageStatus: {
            available_count: components["schemas"]["AvailableCount"];
            /**
             * Format: int64
             * @description Packages given out so far; the last-resort one does not count.
             */
            total_consumed: number;
            /**
             * Format: int64
             * @description When the next of the available packages expires, Unix seconds; null if there is none.
             */
            next_expiry: number | null;
            /** @description Whether a last-resort package is stored. */
            has_last_resort: boolean;
        };
        /** @description What is left of one limit. */
        LimitState: {
            /**
             * @description The limit's name, the same as in the headers `RateLimit` and `RateLimit-Policy`: `messages` (accepted messages), `online_messages` (those that are never stored, counted by each node of the server), `misses` (repeated messages, unknown recipients, and recipients of all-or-nothing messages refused for a full queue; of a message to many each share of recipients, as for `messages`), `new_addresses`, `announcements`, `key_package_uploads`, `key_package_fetches`, `key_package_claims` (addresses), `linking_blobs`, `linking_codes` (short codes that are tried), `info_package_uploads_hour`, `info_package_uploads_day`, `slots_hour`, `slot_bytes_hour`, `slot_storage` (a share of the space), `peer_slots_hour`, `peer_slot_bytes_hour` and `peer_slot_reads_minute` (commit slots of other relays), `blobs_hour` and `blob_bytes_day` (created blobs), `blob_storage` (a share of the space), `push_subscriptions_hour`, `push_confirmations_hour` and `push_tests_hour` (wake-up pushes), `spam_reports_hour` and `spam_reports_day` (reported devices).
             * @example messages
             */
            name: string;
            /**
             * Format: int64
             * @description How much one window allows, with what was carried over from the window before; 0 for a device that is blocked or banned.
             * @example 60
             */
            limit: number;
            /**
             * Format: int64
             * @description How much of it is left.
             * @example 57
             */
            remaining: number;
            /**
             * Format: int64
             * @description The length of a window.
             * @example 3600
             */
            window_seconds: number;
            /**
             * Format: int64
             * @description Unix seconds when the open window ends. Null while none is open, as before the first request, and for a limit of 0 that does not expire.
             * @example 1767229200
             */
            reset_at: number | null;
        };
        LinkLoginRequest: {
            /** @description The code of the link, 32 random bytes in base64url. */
            code: string;
        };
        LinkLoginResponse: {
            /** @description The administrator in whose name the link was made. */
            device_id: components["schemas"]["CanonicalDeviceId"];
            admin_token: components["schemas"]["AdminSession"];
            /** @description When the token expires. */
            expires_at: components["schemas"]["Timestamp"];
            /** @description The permissions on the list at this moment. A later change of the list applies at once. */
            permissions: components["schemas"]["AdminPermission"][];
            admin_level: components["schemas"]["AdminLevel"];
        };
        /** @description 40 random bits as eight characters of Crockford's base 32, which has neither I, L, O nor U. */
        LinkingCode: string;
        /**
         * @description The text of a new device's QR code. The relay does not read it.
         * @example {"ephemeral_public_key":"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"}
         */
        LinkingQr: string;
        ListedDevice: {
            device_id: components["schemas"]["CanonicalDeviceId"];
            registered_at: components["schemas"]["Timestamp"];
            /** @description When the device last did something, up to an hour behind. */
            last_active: components["schemas"]["Timestamp"];
            trust_tier: components["schemas"]["TrustTier"];
            /** @description Whether an administrator has verified the device. A block or ban takes precedence. */
            admin_verified: boolean;
            blocked_at: components["schemas"]["MomentOrNull"];
            /** @description When the ban ends, or ended; null if there was none. */
            banned_until: components["schemas"]["MomentOrNull"];
            rate_limit: components["schemas"]["MessageLimit"];
            spam_reports: components["schemas"]["DeviceCount"];
        };
        /** @description The record of another server, and what its score is made of. */
        ListedPeer: {
            /** @description The server's host name; ports share a reputation. */
            server_domain: components["schemas"]["Domain"];
            reputation: components["schemas"]["ServerReputation"];
            deductions: components["schemas"]["ReputationDeductions"];
        };
        ListedPeerBlocklist: {
            /** @description The server that publishes the list. */
            server_domain: components["schemas"]["Domain"];
            fetched_at: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description How many servers are on the list.
             */
            server_count: number;
        };
        /**
         * Format: int64
         * @description Unix time in seconds; null if there is none.
         */
        MaybeTimestamp: number | null;
        MessageFigures: {
            /** @description Messages accepted from devices of this server, for here or elsewhere. */
            sent_last_24h: components["schemas"]["Count"];
            /** @description Messages put into queues of this server, wherever they came from. */
            received_last_24h: components["schemas"]["Count"];
            /** @description Messages in queues now. */
            queued: components["schemas"]["Count"];
            /** @description Messages removed because their retention ended. */
            expired_last_24h: components["schemas"]["Count"];
            /** @description Average ciphertext put into a queue in the period; null if there was none. */
            average_size_bytes: number | null;
        };
        /**
         * @description A UUIDv7, with hyphens or as 32 hex characters.
         * @example 0193a5f0-7b1c-7c3e-9d52-4f6a8b0c1d2e
         */
        MessageId: string;
        /**
         * Format: int64
         * @description Seconds after which the message expires if it was not acknowledged; never longer than the server keeps messages, which is the default. From then on it is not delivered, passed on or announced by a wake-up push. 0 is online only: the message is pushed to the recipient's open stream and dropped if there is none. It is not stored, wakes no phone, is not repeated, and may be lost; the answer does not tell. It has at most 32 KiB and counts in the limit `online_messages` only. Another server is told both if it announces `federated_lifetimes`. Otherwise it keeps a message as long as any other, and online-only messages for it are dropped.
         * @example 3600
         */
        MessageLifetime: number;
        /**
         * Format: int64
         * @description The messages that the device may send per window, before what is carried over.
         */
        MessageLimit: number;
        /**
         * @description `queued` and `federated` as in a single message. `rejected`: nothing was stored; `error` and `code` say why. With RATE_LIMIT_EXCEEDED, `limit`, `reset_at` and `retry_after` are those of a single message's error.
         * @enum {string}
         */
        MessageOutcome: "queued" | "federated" | "rejected";
        /** @description The outcome of one message of a batch. */
        MessageStatus: {
            /**
             * @description The message's id as it was sent (with U+FFFD in place of characters that text cannot contain).
             * @example 0193a5f0-7b1c-7c3e-9d52-4f6a8b0c1d2e
             */
            message_id: string;
            status: components["schemas"]["MessageOutcome"];
            error?: components["schemas"]["ErrorName"];
            code?: components["schemas"]["ErrorCode"];
            limit?: components["schemas"]["RateLimit"];
            reset_at?: components["schemas"]["ResetAt"];
            retry_after?: components["schemas"]["RetryAfter"];
        };
        MetricSample: {
            /** @description The metric's name; of a histogram, with the ending of the sample. */
            name: string;
            /** @description Values, of at most 256 characters, by the names of their labels. */
            labels: {
                [key: string]: string;
            };
            value: number;
        };
        Metrics: {
            /** @enum {string} */
            period: "1h" | "24h" | "7d" | "30d";
            /** @description When the figures were read. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description When devices, queues and peers were last counted. */
            counted_at: components["schemas"]["Timestamp"];
            server: components["schemas"]["ServerFigures"];
            devices: components["schemas"]["DeviceFigures"];
            messages: components["schemas"]["MessageFigures"];
            spam: components["schemas"]["SpamFigures"];
            federation: components["schemas"]["FederationFigures"];
            performance: components["schemas"]["PerformanceFigures"];
            push?: components["schemas"]["PushFigures"];
        };
        MetricsExport: {
            timestamp: components["schemas"]["Timestamp"];
            metrics: components["schemas"]["ExportedMetric"][];
        };
        MetricsTimeseries: {
            metric: components["schemas"]["SeriesMetric"];
            /** @enum {string} */
            period: "1h" | "24h" | "7d" | "30d";
            /** @enum {string} */
            interval: "5m" | "1h" | "1d";
            data_points: components["schemas"]["DataPoint"][];
            aggregate: components["schemas"]["SeriesAggregate"];
        };
        /**
         * Format: int64
         * @description Unix time in seconds, or null if it never happened.
         */
        MomentOrNull: number | null;
        /**
         * Format: int64
         * @description The offset of the next page; null if there is none.
         */
        NextOffset: number | null;
        /** @description An online-only message for a device of the called relay. */
        OnlineMessage: {
            /** @description A UUIDv7. */
            message_id: string;
            /** @description A delivery address of the called relay. */
            recipient_address: string;
            /** @description The MLS ciphertext in base64, padded and canonical; at most 32 KiB. */
            mls_ciphertext: string;
            /** @description As in a delivery; forwarded unchanged. */
            sender_signature: string;
            /**
             * Format: int64
             * @description When the message was made, in Unix seconds by the sender's clock.
             */
            timestamp: number;
            system_event?: components["schemas"]["FederatedSystemEvent"];
        } & {
            [key: string]: unknown;
        };
        /** @description A session that has a valid token. */
        OpenAdminSession: {
            session_id: components["schemas"]["UuidV4"];
            /** @description The administrator. */
            device_id: components["schemas"]["CanonicalDeviceId"];
            /**
             * @description How it began, with a signed challenge (`key`) or with a link of the operator (`link`).
             * @enum {string}
             */
            method: "key" | "link";
            began_at: components["schemas"]["Timestamp"];
            /** @description When its latest token was issued. */
            renewed_at: components["schemas"]["Timestamp"];
            /** @description When its latest token expires. */
            expires_at: components["schemas"]["Timestamp"];
            /** @description The network address that it began from; of IPv6 its first 64 bits. */
            ip_address: string;
            user_agent: string | null;
            /** @description Whether it is the session that asks. */
            current: boolean;
        };
        /** @description The messages that wait for one server. */
        OutboxBacklog: {
            server_domain: components["schemas"]["Domain"];
            /**
             * Format: int64
             * @description Messages that wait.
             */
            messages: number;
            /**
             * Format: int64
             * @description Bytes of ciphertext in them.
             */
            bytes: number;
            oldest_at: components["schemas"]["MaybeTimestamp"];
            last_reached_at: components["schemas"]["MaybeTimestamp"];
            /**
             * Format: int64
             * @description Attempts in a row that failed.
             */
            failures: number;
            next_attempt_at: components["schemas"]["MaybeTimestamp"];
            last_failed_at: components["schemas"]["MaybeTimestamp"];
            /** @description Why the last attempt failed, or why messages are sent again apart from the others; null if neither is so. A refusal is given with its status and the name of its error, such as `refused 400 INVALID_REQUEST`. */
            problem: string | null;
            /** @description Whether a transaction is under way at this moment. */
            sending: boolean;
        };
        /** @description Destinations for which messages wait. */
        OutboxBacklogs: {
            /** @description The fullest first. */
            destinations: components["schemas"]["OutboxBacklog"][];
        };
        PeerBlocklist: {
            /** @description The server that publishes the list. */
            server_domain: components["schemas"]["Domain"];
            fetched_at: components["schemas"]["Timestamp"];
            servers: components["schemas"]["Domain"][];
        };
        PeerBlocklists: {
            lists: components["schemas"]["ListedPeerBlocklist"][];
            has_more: boolean;
            next_offset: components["schemas"]["NextOffset"];
        };
        PeerList: {
            peers: components["schemas"]["ListedPeer"][];
            has_more: boolean;
            next_offset: components["schemas"]["NextOffset"];
        };
        PendingDevice: {
            device_id: components["schemas"]["CanonicalDeviceId"];
            registered_at: components["schemas"]["Timestamp"];
            age_hours: components["schemas"]["AgeHours"];
            current_tier: components["schemas"]["TrustTier"];
            current_rate_limit: components["schemas"]["MessageLimit"];
            messages_sent: components["schemas"]["DeviceCount"];
            messages_received: components["schemas"]["DeviceCount"];
            spam_reports: components["schemas"]["DeviceCount"];
            spam_warning: components["schemas"]["SpamWarning"];
            /**
             * @description `block` with three or more spam reports, `verify` with none, `monitor` otherwise.
             * @enum {string}
             */
            suggested_action: "verify" | "monitor" | "block";
        };
        PendingDevicesResponse: {
            pending_devices: components["schemas"]["PendingDevice"][];
            /**
             * Format: int64
             * @description How many of the examined devices match, whether or not they are in the answer. If `complete` is true, those are all.
             */
            total_count: number;
            /** @description Whether all devices of the requested ages were examined. False if there are more than the 2,000 longest registered; a narrower range of ages then reaches the others. */
            complete: boolean;
        };
        /** @description Delivery latency is the time from the acceptance of a message to its first delivery, by stream or poll. It includes the time that the recipient was away. Null if nothing was delivered in the period. */
        PerformanceFigures: {
            average_delivery_latency_ms: number | null;
            /** @description From a histogram whose buckets are a quarter wide. */
            p95_delivery_latency_ms: number | null;
            /** @description From a histogram whose buckets are a quarter wide. */
            p99_delivery_latency_ms: number | null;
            /** @description Streams open on all nodes. */
            websocket_connections: components["schemas"]["Count"];
        };
        /** @description A downloaded package. */
        PlainInfoPackage: {
            /** @description The nonce (12 bytes), the ciphertext and the tag (16 bytes) of ChaCha20-Poly1305, in base64. */
            ciphertext: components["schemas"]["InfoPackageCiphertext"];
            package_type: components["schemas"]["InfoPackageType"];
            /** @description When the package was uploaded, in Unix seconds. */
            created_at: components["schemas"]["Timestamp"];
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
        /** @description The blob, or that nothing has been left yet. */
        PollProvisioningBlobResponse: {
            /**
             * @description `delivered`: `ciphertext` is the blob. `pending`: nothing has been left yet.
             * @enum {string}
             */
            status: "delivered" | "pending";
            /** @description The blob in base64; present with status `delivered`. */
            ciphertext?: components["schemas"]["ProvisioningCiphertext"];
            /** @description When the address expires; present with status `pending`. */
            expires_at?: components["schemas"]["Timestamp"];
        };
        /** @description 32 random bytes as hex. Only its holder can take the blob; keep it secret. */
        PollToken: string;
        /** @description The answer of a probe. */
        ProbeAnswer: {
            /** @enum {string} */
            status: "ok";
        };
        /** @description What devices may send, by how long they are known. */
        ProgressiveTrustSettings: {
            /**
             * @description Whether tiers apply; off, every device counts as Trusted.
             * @default true
             */
            enabled: boolean;
            /**
             * Format: int64
             * @description Age at which a device leaves the New tier.
             * @default 6
             */
            new_tier_duration_hours: number;
            /**
             * Format: int64
             * @description Age since registration at which a device is Trusted.
             * @default 24
             */
            established_tier_duration_hours: number;
            /**
             * Format: int64
             * @description Messages per window in the New tier.
             * @default 10
             */
            new_tier_limit: number;
            /**
             * Format: int64
             * @description Messages per window in the Established tier.
             * @default 60
             */
            established_tier_limit: number;
            /**
             * Format: int64
             * @description Messages per window when Trusted or Verified.
             * @default 300
             */
            trusted_tier_limit: number;
            /**
             * Format: int64
             * @description Distinct reporters at which a device is blocked.
             * @default 5
             */
            spam_report_block_threshold: number;
            /**
             * @description Spam score of the last 7 days above which a device is banned.
             * @default 3.5
             */
            spam_score_threshold: number;
        };
        /** @description Keys of the group `progressive_trust` to change. */
        ProgressiveTrustSettingsChange: {
            /** @description Whether tiers apply; off, every device counts as Trusted. */
            enabled?: boolean;
            /**
             * Format: int64
             * @description Age at which a device leaves the New tier.
             */
            new_tier_duration_hours?: number;
            /**
             * Format: int64
             * @description Age since registration at which a device is Trusted.
             */
            established_tier_duration_hours?: number;
            /**
             * Format: int64
             * @description Messages per window in the New tier.
             */
            new_tier_limit?: number;
            /**
             * Format: int64
             * @description Messages per window in the Established tier.
             */
            established_tier_limit?: number;
            /**
             * Format: int64
             * @description Messages per window when Trusted or Verified.
             */
            trusted_tier_limit?: number;
            /**
             * Format: int64
             * @description Distinct reporters at which a device is blocked.
             */
            spam_report_block_threshold?: number;
            /** @description Spam score of the last 7 days above which a device is banned. */
            spam_score_threshold?: number;
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
        /** @description The encrypted payload in base64, padded and canonical (RFC 4648, section 4); at most 256 KiB. */
        ProvisioningCiphertext: string;
        /** @description The provisioning address, `<uuid>@<domain>`, or the part of it before the `@`; a UUIDv4 with hyphens, in either case. */
        ProvisioningId: string;
        /** @description A raw Ed25519 public key, 32 bytes as hex. */
        PublicKey: string;
        /** @description Whether the block list is published. */
        PublishBlocklist: boolean;
        /** @description A blocked server. The administrator and the reason are not published. */
        PublishedBlock: {
            domain: components["schemas"]["Domain"];
            reason_category: components["schemas"]["BlockReasonCategory"];
            severity: components["schemas"]["BlockSeverity"];
            blocked_since: components["schemas"]["Timestamp"];
        };
        /** @description The servers that a relay exchanges no messages with, signed by it. */
        PublishedBlocklist: {
            /** @description The domain of the relay whose list it is. */
            server: components["schemas"]["Domain"];
            /**
             * @description The form of this document.
             * @enum {string}
             */
            blocklist_version: "1.0";
            /** @description When the list last changed. */
            last_updated: components["schemas"]["Timestamp"];
            /** @description By domain. Names below a domain are blocked as well. */
            blocked_servers: components["schemas"]["PublishedBlock"][];
            /** @description Ed25519, as 128 hex characters, by one of the keys at `/.well-known/jwks.json`, over this document without `signature` in the canonical form of RFC 8785. */
            signature: string;
        };
        PurgedOutbox: {
            server_domain: components["schemas"]["Domain"];
            /**
             * Format: int64
             * @description Messages that were dropped.
             */
            purged_messages: number;
        };
        /** @description What the push service answered: nothing more, so that a device learns nothing about the hosts that the relay can reach. */
        PushAnswer: {
            /**
             * @description The class of the HTTP status; null if there was no answer. `2xx` means that the service took the push.
             * @enum {string|null}
             */
            status_class: "2xx" | "3xx" | "4xx" | "5xx" | null;
            /**
             * Format: int64
             * @description After how many seconds the push service wants to be asked again, if it said so.
             */
            retry_after: number | null;
        };
        /** @description The push resource of the device (RFC 8030, section 2), as its push service or UnifiedPush distributor gave it out: an https URL with a host name, without credentials, on a port that this relay allows. */
        PushEndpoint: string;
        /** @description Wake-up pushes. The latency is the time from the commit of a message to the answer of the push service that took the push for it, the pauses between pushes and the random delay included; null if no push was taken in the period. */
        PushFigures: {
            /** @description Pushes that push services took. */
            accepted_last_24h: components["schemas"]["Count"];
            /** @description Attempts that a push service did not take. */
            failed_last_24h: components["schemas"]["Count"];
            /** @description Subscriptions removed because the push service no longer knew them. */
            gone_last_24h: components["schemas"]["Count"];
            /** @description Pushes after which the device read its queue or opened a stream. */
            answered_last_24h: components["schemas"]["Count"];
            average_latency_ms: number | null;
            /** @description From a histogram whose buckets are a quarter wide. */
            p95_latency_ms: number | null;
            /** @description From a histogram whose buckets are a quarter wide. */
            p99_latency_ms: number | null;
        };
        /** @description Online-only messages of one relay for devices of another. */
        PushOnlineMessagesRequest: {
            /** @description The domain of the calling relay, as in its token and in the header `X-Origin-Server`. */
            origin_server: components["schemas"]["Domain"];
            /** @description The messages, in the order in which they are to be pushed. */
            messages: components["schemas"]["OnlineMessage"][];
        } & {
            [key: string]: unknown;
        };
        /** @description That the request was received. It does not tell which messages were pushed. */
        PushOnlineMessagesResponse: {
            /** @description Always true. */
            received: boolean;
        };
        /** @description The wake-up pushes of this relay. Absent if it sends none. */
        PushPolicy: {
            /** @description The key that signs the relay's requests to push services (RFC 8292): an uncompressed point of P-256, 65 bytes in base64url without padding. Pass it as `applicationServerKey` when you subscribe. */
            vapid_key: string;
            /** @description The first 16 bytes of the SHA-256 hash of the key, in hex. */
            key_id: string;
        };
        /** @description What the relay knows of a device's push subscription. The endpoint itself is never given out. */
        PushSubscription: {
            /** @description The SHA-256 hash of the endpoint, in hex, by which the device recognises its subscription. */
            endpoint_sha256: string;
            /** @description Whether the device has echoed a code. Nothing else is pushed before. */
            confirmed: boolean;
            /** @description The VAPID key that the subscription was made for, as in the discovery document (`push.key_id`). If the relay has another one by now, the device must subscribe again. */
            key_id: string;
            urgency: components["schemas"]["PushUrgency"];
            /** @description When the device subscribed. */
            created_at: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description When the relay forgets the subscription; null if the push service named no time.
             */
            expires_at: number | null;
            /**
             * Format: int64
             * @description When the push service last took a wake-up; null if it has taken none.
             */
            last_push_at: number | null;
        };
        PushSubscriptionRemoved: {
            /** @description Whether there was a subscription. */
            removed: boolean;
        };
        /**
         * @description The least urgent pushes that the device wants. Messages are pushed with urgency `high`, a low number of key packages with `low`. A device that asks for `high` is woken for messages only.
         * @enum {string}
         */
        PushUrgency: "high" | "low";
        PutProvisioningBlobRequest: {
            ciphertext: components["schemas"]["ProvisioningCiphertext"];
        };
        PutProvisioningBlobResponse: {
            /** @enum {string} */
            status: "stored";
            /** @description Until when the new device can take it. */
            expires_at: components["schemas"]["Timestamp"];
        };
        QueueHealth: {
            status: components["schemas"]["HealthStatus"];
            /**
             * Format: int64
             * @description Messages in queues; null if they could not be counted.
             */
            queue_size: number | null;
            /** @description How long a query of the queues took just now; null if it failed. */
            latency_ms: number | null;
            details: components["schemas"]["HealthDetails"];
            /** @description Present if the component is unhealthy. */
            error?: string;
        };
        /** @description A message in the queue of a device. Nothing in it identifies the sender. */
        QueuedMessage: {
            message_id: components["schemas"]["CanonicalMessageId"];
            /** @description The MLS ciphertext in base64. */
            mls_ciphertext: components["schemas"]["Base64Text"];
            /** @description The sender's signature over the ciphertext, exactly as it was sent. The relay has not verified it. */
            sender_signature: components["schemas"]["SenderSignature"];
            /** @description When the message was made, by the sender's clock. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description When the relay accepted the message. Never decreases from one message of a queue to the next. */
            received_at: components["schemas"]["Timestamp"];
            system_event?: components["schemas"]["SystemEvent"];
        };
        /**
         * Format: int64
         * @description The limit that was reached; 0 for a device that may send nothing.
         * @example 60
         */
        RateLimit: number;
        /** @description Limits that hold for every device. */
        RateLimitingSettings: {
            /**
             * @description Whether message limits apply.
             * @default true
             */
            enabled: boolean;
            /**
             * Format: int64
             * @description Length of the window of the message limit.
             * @default 3600
             */
            window_seconds: number;
            /**
             * Format: int64
             * @description Most unused messages carried over into the next window.
             * @default 10
             */
            burst_allowance: number;
            /**
             * Format: int64
             * @description Recipients of a message to many that count as one message when Trusted or Verified.
             * @default 25
             */
            recipients_per_message: number;
            /**
             * Format: int64
             * @description Info packages that a user may upload in an hour.
             * @default 10
             */
            infopackage_uploads_per_hour: number;
            /**
             * Format: int64
             * @description Info packages that a user may upload in a day.
             * @default 50
             */
            infopackage_uploads_per_day: number;
        };
        /** @description Keys of the group `rate_limiting` to change. */
        RateLimitingSettingsChange: {
            /** @description Whether message limits apply. */
            enabled?: boolean;
            /**
             * Format: int64
             * @description Length of the window of the message limit.
             */
            window_seconds?: number;
            /**
             * Format: int64
             * @description Most unused messages carried over into the next window.
             */
            burst_allowance?: number;
            /**
             * Format: int64
             * @description Recipients of a message to many that count as one message when Trusted or Verified.
             */
            recipients_per_message?: number;
            /**
             * Format: int64
             * @description Info packages that a user may upload in an hour.
             */
            infopackage_uploads_per_hour?: number;
            /**
             * Format: int64
             * @description Info packages that a user may upload in a day.
             */
            infopackage_uploads_per_day?: number;
        };
        /** @description Asks what slots have taken. */
        ReadSlotsRequest: {
            /** @description The names of the slots. */
            slots: components["schemas"]["SlotName"][];
        };
        /** @description The reason, for the audit log. */
        Reason: string;
        /** @description The outcome for one recipient of a message to many. */
        RecipientStatus: {
            /**
             * @description The address as it was sent (with U+FFFD in place of characters that text cannot contain).
             * @example 2f1c6f1e-9a53-4c0e-8d0b-6d1f0c7a3b52@relay.example
             */
            recipient_address: string;
            status: components["schemas"]["MessageOutcome"];
            error?: components["schemas"]["ErrorName"];
            code?: components["schemas"]["ErrorCode"];
            limit?: components["schemas"]["RateLimit"];
            reset_at?: components["schemas"]["ResetAt"];
            retry_after?: components["schemas"]["RetryAfter"];
        };
        RefreshAdminTokenResponse: {
            admin_token: components["schemas"]["AdminSession"];
            /** @description When the token expires. */
            expires_at: components["schemas"]["Timestamp"];
        };
        RefreshDeviceTokenResponse: {
            access_token: components["schemas"]["AccessToken"];
            /** @description When the access token expires. */
            expires_at: components["schemas"]["Timestamp"];
        };
        /** @description The text that a device has to hash, and how many times, before it registers. */
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
         * @description `open` accepts any device with the required proof; `invite_only` accepts devices with an invite of this relay; `federation_allowlist` also accepts invites of the relays on the federation allowlist.
         * @enum {string}
         */
        RegistrationMode: "open" | "invite_only" | "federation_allowlist";
        /** @description How a device becomes known here. */
        RegistrationPolicy: {
            /** @description Whether new devices may register at all. Known devices are not affected. */
            enabled: boolean;
            mode: components["schemas"]["RegistrationMode"];
        };
        /** @description Who may register, and how. */
        RegistrationSettings: {
            /**
             * @description Whether devices unknown to the server may register.
             * @default true
             */
            enabled: boolean;
            /**
             * @description Who may register.
             * @default open
             * @enum {string}
             */
            mode: "open" | "invite_only" | "federation_allowlist";
            /**
             * @description Whether a first announcement needs a delay proof or one of its substitutes.
             * @default true
             */
            require_proof_of_work: boolean;
            /**
             * Format: int64
             * @description Steps of a delay proof before load raises them.
             * @default 5000000
             */
            proof_of_work_difficulty: number;
            /**
             * @description Whether a challenge of sufficient age stands in for a proof.
             * @default false
             */
            allow_time_delay: boolean;
            /**
             * Format: int64
             * @description Age at which a challenge stands in for a proof.
             * @default 120
             */
            time_delay_seconds: number;
            /**
             * @description Whether an invite stands in for a proof.
             * @default true
             */
            accept_invites: boolean;
        };
        /** @description Keys of the group `registration` to change. */
        RegistrationSettingsChange: {
            /** @description Whether devices unknown to the server may register. */
            enabled?: boolean;
            /**
             * @description Who may register.
             * @enum {string}
             */
            mode?: "open" | "invite_only" | "federation_allowlist";
            /** @description Whether a first announcement needs a delay proof or one of its substitutes. */
            require_proof_of_work?: boolean;
            /**
             * Format: int64
             * @description Steps of a delay proof before load raises them.
             */
            proof_of_work_difficulty?: number;
            /** @description Whether a challenge of sufficient age stands in for a proof. */
            allow_time_delay?: boolean;
            /**
             * Format: int64
             * @description Age at which a challenge stands in for a proof.
             */
            time_delay_seconds?: number;
            /** @description Whether an invite stands in for a proof. */
            accept_invites?: boolean;
        };
        /** @description A message that was not queued. */
        RejectedMessage: {
            /** @description The message's id as it was sent; empty if it came without one. */
            message_id: string;
            /** @description The address that the message was for, as it was sent: messages to several recipients may share an id, and this address says which of them is meant. */
            recipient_address: string;
            error: components["schemas"]["ErrorName"];
            code: components["schemas"]["ErrorCode"];
            /** @description What is wrong, for a developer to read. */
            message: string;
        };
        /**
         * @description The secret to which the id of a message commits: 16 bytes in base64, which came inside of the encrypted message. A report of a message whose id commits to a handle proves nothing without it. Messages with other ids need none.
         * @example AAECAwQFBgcICQoLDA0ODw==
         */
        ReportHandle: string;
        ReputationDeduction: number;
        /** @description What was deducted from a score of 1. A score is never below 0, even if the sum is above 1. */
        ReputationDeductions: {
            /** @description For messages from it that were reported as spam. */
            spam_reports: components["schemas"]["ReputationDeduction"];
            /** @description For messages from it that were rejected for their form. */
            rejected_messages: components["schemas"]["ReputationDeduction"];
            /** @description For the block lists of peers that name it. */
            block_lists: components["schemas"]["ReputationDeduction"];
        };
        RequestedBackup: {
            requested_at: components["schemas"]["Timestamp"];
        };
        /** @description Whether certificates of peers must come from trusted authorities. Without it any client can pass for any server; meant for trials in closed networks. */
        RequireCertificateValidation: boolean;
        /**
         * Format: int64
         * @description Unix seconds when the limit or the ban ends; null if it does not expire.
         * @example 1767229200
         */
        ResetAt: number | null;
        RetriedOutbox: {
            server_domain: components["schemas"]["Domain"];
            /** @description True. */
            retried: boolean;
        };
        /**
         * Format: int64
         * @description Seconds to wait before the next attempt.
         * @example 1200
         */
        RetryAfter: number;
        /** @description A downloaded package. */
        RevocableInfoPackage: {
            ciphertext: components["schemas"]["InfoPackageCiphertext"];
            /** @description When the package was uploaded, in Unix seconds. */
            created_at: components["schemas"]["Timestamp"];
        };
        /** @description The package is revoked. */
        RevocableInfoPackageRevoked: {
            /**
             * @description Always true.
             * @enum {boolean}
             */
            success: true;
            /**
             * @description Always true.
             * @enum {boolean}
             */
            revoked: true;
            /** @description When it was revoked, in Unix seconds. */
            revoked_at: components["schemas"]["Timestamp"];
        };
        /** @description 32 random bytes as hex. A client that has it may revoke the package. */
        RevocationToken: string;
        RevokeVerificationRequest: {
            device_id: components["schemas"]["DeviceId"];
            reason: components["schemas"]["Reason"];
        };
        RevokeVerificationResponse: {
            device_id: components["schemas"]["CanonicalDeviceId"];
            trust_tier: components["schemas"]["TrustTier"];
            rate_limit: components["schemas"]["MessageLimit"];
            revoked_at: components["schemas"]["Timestamp"];
            /** @description The administrator. */
            revoked_by: components["schemas"]["CanonicalDeviceId"];
        };
        RevokedInvite: {
            invite_id: components["schemas"]["UuidV4"];
            revoked_at: components["schemas"]["Timestamp"];
        };
        /** @description Messages to send, in order. */
        SendMessageBatchRequest: {
            /** @description At most 100 messages, or as many as the relay's operator allows (`batchLimit`). */
            messages: components["schemas"]["BatchMessage"][];
            /** @description Whether the messages are copies of one message, each for another recipient: they then count like one message to many. A second one for the same address is rejected. False if left out. Only for relays whose discovery document has `group_message_cost`. */
            one_message?: boolean;
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
            mls_ciphertext: components["schemas"]["Base64Text"];
            sender_signature: components["schemas"]["SenderSignature"];
            /** @description When the message was made, by the sender's clock. Forwarded unchanged. */
            timestamp: components["schemas"]["Timestamp"];
            system_event?: components["schemas"]["SystemEvent"];
            expires_in_seconds?: components["schemas"]["MessageLifetime"];
        };
        /** @description The outcome of an accepted message. */
        SendMessageResponse: {
            /** @description The message's id as it was sent. */
            message_id: components["schemas"]["MessageId"];
            /**
             * @description `queued`: it is in the recipient's queue on this server. `federated`: it is on its way to the recipient's server.
             * @enum {string}
             */
            status: "queued" | "federated";
            delivery_estimate: components["schemas"]["DeliveryEstimate"];
        };
        /** @description An encrypted message for many recipients. */
        SendMessageToManyRequest: {
            message_id: components["schemas"]["MessageId"];
            /**
             * @description Delivery addresses, `<prefix>@<domain>`. Only their types are checked with the request; an address for which a single message would be refused is rejected alone.
             * @example [
             *       "2f1c6f1e-9a53-4c0e-8d0b-6d1f0c7a3b52@relay.example"
             *     ]
             */
            recipients: string[];
            /** @description The MLS ciphertext in base64, padded and canonical. Its decoded length is limited by the server's `max_message_size`. */
            mls_ciphertext: components["schemas"]["Base64Text"];
            /** @description The signature over the ciphertext, as in a single message. It does not cover the recipients. */
            sender_signature: components["schemas"]["SenderSignature"];
            /** @description When the message was made, by the sender's clock. Forwarded unchanged. */
            timestamp: components["schemas"]["Timestamp"];
            system_event?: components["schemas"]["SystemEvent"];
            expires_in_seconds?: components["schemas"]["MessageLifetime"];
            /** @description Whether to store nothing if a recipient would be rejected for the sender's limit or for a full queue. False if left out. */
            all_or_nothing?: boolean;
        };
        /** @description The outcome of a message to many. */
        SendMessageToManyResponse: {
            /** @description The message's id as it was sent. */
            message_id: components["schemas"]["MessageId"];
            /**
             * Format: int64
             * @description Recipients for whom the message is stored or on its way.
             */
            accepted_count: number;
            /**
             * Format: int64
             * @description The others.
             */
            rejected_count: number;
            /** @description One entry per recipient, in the order of the request. */
            recipient_statuses: components["schemas"]["RecipientStatus"][];
        };
        /** @description The sender's Ed25519 signature over the ciphertext, by convention as 128 hex characters or as padded base64. The relay never verifies it: it takes any printable ASCII text, stores it with the message and forwards it exactly as sent. It is good for recipients who can check it before they decrypt: members of a group who sign with a key that they all derive from the epoch (MLS-Exporter) see that a member wrote the message, and drop what strangers send. It does not prove the sender, whom MLS proves inside the ciphertext, and nobody need check it. Never sign with the device's key or that of an MLS leaf: it would name the sender, because the relay stores both. Without a key of the epoch, make a new key pair for each message, or send 64 random bytes. */
        SenderSignature: string;
        /** @description Over the points; all 0 if there are none. */
        SeriesAggregate: {
            min: number;
            max: number;
            avg: number;
            /** @description The sum of the points; meaningful for counters only. */
            total: number;
        };
        /**
         * @description The name of a metric that is kept over time. The examples are all that this version has; a later one may have more. Another name is INVALID_REQUEST.
         * @example messages_sent
         * @example messages_received
         * @example messages_bytes
         * @example messages_acknowledged
         * @example messages_expired
         * @example messages_duplicate
         * @example messages_rate_limited
         * @example messages_queue_full
         * @example messages_unknown_address
         * @example messages_failed
         * @example federated_messages_sent
         * @example federated_messages_received
         * @example federated_deliveries_failed
         * @example federated_messages_expired
         * @example federated_transactions_failed
         * @example devices_registered
         * @example info_packages_uploaded
         * @example info_packages_downloaded
         * @example info_packages_expired
         * @example slots_taken
         * @example blobs_created
         * @example blobs_completed
         * @example blobs_downloaded
         * @example blobs_removed
         * @example blob_bytes_received
         * @example blob_bytes_sent
         * @example slots_lost
         * @example pushes_accepted
         * @example pushes_failed
         * @example push_subscriptions_gone
         * @example push_wake_ups_answered
         * @example spam_reports
         * @example spam_reports_unverified
         * @example devices_auto_blocked
         * @example key_packages_stored
         * @example key_packages_fetched
         * @example key_packages_missing
         * @example key_packages_expired
         * @example provisioning_addresses
         * @example provisioning_blobs_delivered
         * @example requests
         * @example requests_failed
         * @example requests_rate_limited
         * @example requests_overloaded
         * @example devices
         * @example active_devices
         * @example new_devices
         * @example tier_new
         * @example tier_established
         * @example tier_trusted
         * @example tier_verified
         * @example blocked_devices
         * @example queued_messages
         * @example queued_bytes
         * @example outbox_messages
         * @example outbox_bytes
         * @example slot_bytes
         * @example blobs
         * @example blob_bytes
         * @example federation_peers
         * @example blocked_servers
         * @example storage_bytes
         * @example websocket_connections
         * @example cpu_usage_percent
         * @example memory_bytes
         * @example proofs_queued
         * @example database_millis
         */
        SeriesMetric: string;
        /** @description The capabilities of this relay for devices. */
        ServerCapabilities: {
            /**
             * Format: int64
             * @description The most bytes of decoded ciphertext that one message may have.
             */
            max_message_size: number;
            /**
             * Format: int64
             * @description The most recipients that one message may have (`POST /v1/messages/multi`).
             */
            max_message_recipients: number;
            /** @description Whether messages to addresses of other domains are forwarded. False without a certificate to show to their servers, too. */
            federation_enabled: boolean;
            /** @description Whether this relay takes deliveries of other relays in which several messages share a ciphertext (`ciphertext_from`). */
            shared_ciphertexts: boolean;
            /**
             * Format: int64
             * @description The most messages that a delivery of another relay may have. A relay without this member takes 100.
             */
            max_transaction_messages?: number;
            /** @description Whether this relay takes deliveries of other relays whose ciphertexts stand as bytes behind the JSON (`application/vnd.svc-delivery`). Absent means no. */
            attached_ciphertexts?: boolean;
            /** @description Whether this relay takes deliveries of other relays whose messages have a `dedup_tag`. Absent means no. */
            dedup_tags?: boolean;
            /** @description Whether this relay takes deliveries of other relays whose messages have a `system_event`. Absent means no. */
            system_events?: boolean;
            /** @description Whether this relay answers other relays that ask for its commit slots (`POST /federation/v1/slots`), and asks others. No while federation is off or the relay has no valid certificate for its domain. Absent means no. */
            federated_slots?: boolean;
            /** @description Whether this relay answers other relays that claim key packages of its devices (`POST /federation/v1/keypackages/claim`), and asks others. No while federation is off or the relay has no valid certificate for its domain. Absent means no. */
            federated_key_packages?: boolean;
            /** @description Whether this relay keeps messages of other relays no longer than they say (`expires_in_seconds`), and takes online-only messages from them (`POST /federation/v1/online`). No while federation is off or the relay has no certificate. Absent means no. */
            federated_lifetimes?: boolean;
            /** @description Whether this relay takes spam reports of other relays about its devices (`POST /federation/v1/reports`), and passes on reports to others. No while federation is off or the relay has no valid certificate for its domain. Absent means no. */
            federated_reports?: boolean;
            /** @description Whether answers say in `RateLimit` what is left of a limit, and `GET /v1/limits` exists. Absent means no. */
            rate_limit_headers?: boolean;
            /**
             * @description Versions of MLS whose messages are carried.
             * @example [
             *       "1.0"
             *     ]
             */
            supported_mls_versions: string[];
            /** @description Whether a device may send messages on its stream, in `send` frames. */
            stream_sends?: boolean;
            /** @description Whether a message may say how long it is kept (`expires_in_seconds`), and that it is for open streams only (0). Absent means no. */
            message_lifetime?: boolean;
            /** @description Whether this relay stores blobs (`POST /v1/blobs`). Absent means no. */
            blobs?: boolean;
            group_message_cost?: components["schemas"]["GroupMessageCost"];
            /** @description Whether this relay wakes devices by Web Push (`PUT /api/v1/push/subscription`); `push` then has its key. Absent means no. */
            wake_up_push?: boolean;
        };
        /** @description The whole configuration. */
        ServerConfig: {
            server: components["schemas"]["ServerSettings"];
            registration: components["schemas"]["RegistrationSettings"];
            progressive_trust: components["schemas"]["ProgressiveTrustSettings"];
            federation: components["schemas"]["FederationSettings"];
            rate_limiting: components["schemas"]["RateLimitingSettings"];
            storage: components["schemas"]["StorageSettings"];
        };
        ServerFigures: {
            /** @description Seconds since the longest running node started. */
            uptime_seconds: components["schemas"]["Count"];
            version: components["schemas"]["InterfaceVersion"];
            software_version: components["schemas"]["SoftwareVersion"];
            /** @description How busy the nodes' machines are, or the cores that a node may use if those are busier; the average over the nodes, each over the last interval between two measurements. */
            cpu_usage_percent: number;
            /** @description Memory that the nodes' processes hold, added up, in units of 1,000,000 bytes. */
            memory_usage_mb: number;
            /** @description Size of the database, in units of 1,000,000,000 bytes. */
            storage_used_gb: number;
            /**
             * Format: int64
             * @description Nodes that are running.
             */
            nodes: number;
        };
        /** @description The last seven days. */
        ServerMetrics: {
            /**
             * Format: int64
             * @description Messages that it delivered here and that were queued.
             */
            messages_delivered: number;
            /**
             * Format: int64
             * @description Messages that were rejected for their form. Unknown recipients and full queues are not counted.
             */
            messages_rejected: number;
            /**
             * Format: int64
             * @description Verified reports of messages from it; each message counts once for each reporter.
             */
            spam_reports_received: number;
            /** @description The share of our calls that it answered, in percent; null if it was not called. */
            uptime_percentage: number | null;
            /**
             * Format: int64
             * @description How long its answers took; null if there were none.
             */
            average_response_time_ms: number | null;
            /** @description Whether its certificate was accepted when it was last seen; null if none was seen. */
            certificate_valid: boolean | null;
        };
        /** @description The record of another server. */
        ServerReputation: {
            /** @description The server's host name; ports share a reputation. */
            server_domain: components["schemas"]["Domain"];
            /**
             * @description 1.0 - spam ratio × 0.5 - rejection ratio × 0.3 - listings × 0.05, of the last seven days. From 0.7 up it is good. It has consequences only after 100 messages.
             * @example 0.97
             */
            reputation_score: number;
            metrics: components["schemas"]["ServerMetrics"];
            /**
             * @description `blocked`: no messages are exchanged. `limited`: a quarter of the usual limits, for a score under 0.7. `active`: neither.
             * @enum {string}
             */
            federation_status: "active" | "limited" | "blocked";
            /**
             * Format: int64
             * @description Peers whose published lists name the server, one per registrable domain.
             */
            federated_blocklist_count: number;
            first_contact: components["schemas"]["Timestamp"];
            last_activity: components["schemas"]["Timestamp"];
        };
        /** @description The server as such. */
        ServerSettings: {
            /**
             * @description Name shown to users.
             * @default MLS relay
             */
            server_name: string;
            /**
             * @description Protocol version that the server speaks.
             * @default 1.0
             * @enum {string}
             */
            protocol_version: "1.0";
            /**
             * Format: int64
             * @description Most bytes of a decoded ciphertext.
             * @default 10485760
             */
            max_message_size: number;
            /**
             * Format: int64
             * @description Days after which a queued message expires.
             * @default 30
             */
            max_retention_days: number;
        };
        /** @description Keys of the group `server` to change. */
        ServerSettingsChange: {
            /** @description Name shown to users. */
            server_name?: string;
            /**
             * @description Protocol version that the server speaks.
             * @enum {string}
             */
            protocol_version?: "1.0";
            /**
             * Format: int64
             * @description Most bytes of a decoded ciphertext.
             */
            max_message_size?: number;
            /**
             * Format: int64
             * @description Days after which a queued message expires.
             */
            max_retention_days?: number;
        };
        /** @description The new policy. A list that is left out does not change. */
        SetFederationPolicyRequest: {
            allowlist_mode: components["schemas"]["AllowlistMode"];
            allowlist?: components["schemas"]["Allowlist"];
            auto_block_threshold: components["schemas"]["AutoBlockThreshold"];
            require_certificate_validation: components["schemas"]["RequireCertificateValidation"];
            publish_blocklist: components["schemas"]["PublishBlocklist"];
        };
        SetFederationPolicyResponse: {
            policy_updated_at: components["schemas"]["Timestamp"];
            /** @description The administrator. */
            updated_by: components["schemas"]["CanonicalDeviceId"];
            current_policy: components["schemas"]["FederationPolicy"];
        };
        SetRateLimitRequest: {
            device_id: components["schemas"]["DeviceId"];
            /**
             * Format: int64
             * @description The messages that the device may send per window. Null removes the device's own limit.
             */
            custom_rate_limit: number | null;
            reason: components["schemas"]["Reason"];
            /**
             * Format: int64
             * @description When the limit ends, Unix time in seconds; in the future. If null or left out, it does not expire.
             */
            expires_at?: number | null;
        };
        SetRateLimitResponse: {
            device_id: components["schemas"]["CanonicalDeviceId"];
            /** @description The limit that was set, or that of the tier if the device's own was removed. */
            rate_limit: components["schemas"]["MessageLimit"];
            custom_limit_set_at: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Unix time in seconds; null if the limit does not expire, or was removed.
             */
            custom_limit_expires_at: number | null;
            /** @description The administrator. */
            set_by: components["schemas"]["CanonicalDeviceId"];
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
            /** @description The key's id, as in the header of its tokens. */
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
        /** @description A slot that is taken. */
        Slot: {
            content: components["schemas"]["SlotContent"];
            receipt: components["schemas"]["SlotReceipt"];
            taker?: components["schemas"]["Taker"];
            /** @description Until when the content is kept. */
            expires_at: components["schemas"]["Timestamp"];
        };
        /** @description What the slot takes, in base64, padded and canonical, at most 1 MiB of bytes. The relay does not interpret it; members seal it, so that the relay cannot read it. */
        SlotContent: string;
        /** @description Names a slot, as hex, in either case: the SHA-256 hash of the 32 bytes of the public key that takes it. A slot that any one of several keys may take is named after the root of a tree of their hashes: the hash of two nodes is the SHA-256 hash of their 64 bytes, the lower node first. */
        SlotName: string;
        /** @description The commit slots of this relay. Absent if it has none. */
        SlotPolicy: {
            /** @description The Ed25519 key that signs receipts, 32 bytes as hex. */
            key: string;
            /**
             * Format: int64
             * @description The most bytes that the content of a slot may have.
             */
            max_content_bytes: number;
            /**
             * Format: int64
             * @description For how many days a slot keeps its content.
             */
            retention_days: number;
            /**
             * Format: int64
             * @description For how many days a slot stays taken. Members must not commit in an epoch that they entered more than half of that time ago.
             */
            memory_days: number;
            /**
             * Format: int64
             * @description How many slots of this relay one request reads (`POST /v1/slots/read`). Absent if the relay has no such operation.
             */
            max_slots_per_reading?: number;
            /**
             * Format: int64
             * @description The same for slots of another relay.
             */
            max_peer_slots_per_reading?: number;
        };
        /** @description What one slot has: nothing; content with its receipt; SLOT_EXPIRED; or content that had no room in the answer and is left out. */
        SlotReading: {
            /** @description The name of the slot, as it was sent. */
            slot: components["schemas"]["SlotName"];
            /** @description Whether something has taken the slot. */
            taken: boolean;
            content?: components["schemas"]["SlotContent"];
            receipt?: components["schemas"]["SlotReceipt"];
            taker?: components["schemas"]["Taker"];
            /** @description Until when the content is kept. */
            expires_at?: components["schemas"]["Timestamp"];
            error?: components["schemas"]["ErrorName"];
            code?: components["schemas"]["ErrorCode"];
        };
        /** @description What slots have. */
        SlotReadings: {
            /** @description One item for each slot, in the order of the request. */
            slots: components["schemas"]["SlotReading"][];
        };
        /** @description Proves which content a slot has taken. `signature` is the Ed25519 signature by `slot_key` of the text `mls-relay commit slot receipt 1`, `domain`, `slot` and `content_sha256`, in this order and spelling, with a line feed between one and the next. */
        SlotReceipt: {
            /** @description The domain of the relay that has the slot. */
            domain: components["schemas"]["Domain"];
            /** @description The name of the slot, in lower case. */
            slot: string;
            /** @description The SHA-256 hash of the content's bytes, as hex. */
            content_sha256: string;
            /** @description The relay's Ed25519 key at the time when the slot was taken, 32 bytes as hex. */
            slot_key: string;
            /** @description The signature, 64 bytes as hex. */
            signature: string;
        };
        /**
         * @description The version of the server's software.
         * @example 0.1.0
         */
        SoftwareVersion: string;
        SpamFigures: {
            /** @description Verified spam reports. */
            reports_last_24h: components["schemas"]["Count"];
            /** @description Devices blocked or banned by spam reports. */
            auto_blocked_devices_last_24h: components["schemas"]["Count"];
            /** @description Requests, and single messages of batches, that were refused because a limit was used up. */
            rate_limited_requests_last_24h: components["schemas"]["Count"];
        };
        /**
         * @description What is wrong with the message: `spam`, `harassment`, `impersonation`, `malware`, `illegal_content` or `other`, in either case. Any other text is recorded as `other`, with the text before the details.
         * @example spam
         */
        SpamReason: string;
        /** @description A report about a message that the caller received. */
        SpamReportRequest: {
            message_id: components["schemas"]["MessageId"];
            /** @description The device that sent the message, as named in the decrypted message; its id or its public key. */
            sender_id: components["schemas"]["DeviceId"];
            report_handle?: components["schemas"]["ReportHandle"];
            reason: components["schemas"]["SpamReason"];
            /** @description More about it, for the operators of the relay. Kept with the report, without the reporter's name. */
            details?: string;
        };
        /** @description The report as it is recorded. */
        SpamReportResponse: {
            report_id: components["schemas"]["UuidV4"];
            /** @description When the message was first reported, in Unix seconds. */
            reported_at: components["schemas"]["Timestamp"];
            /**
             * @description Always the same, whatever the consequences.
             * @enum {string}
             */
            action_taken: "recorded";
        };
        /** @description Whether at least three devices that count have reported this one (the setting SPAM_WARNING_REPORTS), so that an administrator should look at it. */
        SpamWarning: boolean;
        /** @description The limits that the device requests for its queue. The server's own limits apply if they are smaller. An object that is sent replaces the earlier one; an omitted member returns to the server's limit. */
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
             * @description Senders see `delayed` even while the device has a stream open.
             * @default false
             */
            hide_presence?: boolean;
        };
        /** @description What is kept, and for how long. */
        StorageSettings: {
            /**
             * Format: int64
             * @description Most messages in the queue of a device.
             * @default 1000
             */
            message_queue_limit: number;
            /**
             * Format: int64
             * @description Most bytes in a queue.
             * @default 268435456
             */
            message_queue_bytes_limit: number;
            /**
             * Format: int64
             * @description Hours for which an announced address lives.
             * @default 24
             */
            announcement_retention_hours: number;
            /**
             * Format: int64
             * @description Days of inactivity after which a device is removed.
             * @default 30
             */
            metadata_retention_days: number;
        };
        /** @description Keys of the group `storage` to change. */
        StorageSettingsChange: {
            /**
             * Format: int64
             * @description Most messages in the queue of a device.
             */
            message_queue_limit?: number;
            /**
             * Format: int64
             * @description Most bytes in a queue.
             */
            message_queue_bytes_limit?: number;
            /**
             * Format: int64
             * @description Hours for which an announced address lives.
             */
            announcement_retention_hours?: number;
            /**
             * Format: int64
             * @description Days of inactivity after which a device is removed.
             */
            metadata_retention_days?: number;
        };
        /** @description A part that is stored. */
        StoredPart: {
            /**
             * Format: int64
             * @description The number of the part.
             */
            part: number;
        };
        StreamHealth: {
            status: components["schemas"]["HealthStatus"];
            /**
             * Format: int64
             * @description Streams open on all nodes; on this one only if the others cannot be asked.
             */
            active_connections: number;
            details: components["schemas"]["HealthDetails"];
            /** @description Present if the component is unhealthy. */
            error?: string;
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
            /**
             * Format: int64
             * @description The greatest frame that the server sends. A client that takes less names what it takes in its `auth` frame.
             */
            max_frame_bytes?: number;
            /**
             * Format: int64
             * @description The greatest frame that a client may send. Larger messages go by POST /v1/messages.
             */
            max_client_frame_bytes?: number;
            /**
             * Format: int64
             * @description The greatest `window` that a client is granted.
             */
            max_window?: number;
            /**
             * Format: int64
             * @description How many `send` frames of a stream are under way at once.
             */
            max_sends_in_flight?: number;
        };
        /** @description A push subscription as browsers and UnifiedPush libraries hand it out. */
        SubscribeToPushRequest: {
            endpoint: components["schemas"]["PushEndpoint"];
            /** @description The device's public key for message encryption (RFC 8291), an uncompressed point of P-256, 65 bytes in base64url without padding. */
            p256dh: string;
            /** @description The authentication secret (RFC 8291), 16 bytes in base64url without padding. */
            auth: string;
            /** @description When the push service ends the subscription, if it said so. The relay forgets the subscription then. It must be in the future. */
            expires_at?: components["schemas"]["Timestamp"];
            /** @description The least urgent pushes that the device wants. `low` by default. */
            urgency?: components["schemas"]["PushUrgency"];
        };
        SubscribedToPush: {
            subscription: components["schemas"]["PushSubscription"];
            /** @description What the push service answered to the push with the code. Absent if the same subscription was confirmed before, because no code is pushed then. */
            push?: components["schemas"]["PushAnswer"];
        };
        /** @description An optional hint of the sender beside the ciphertext. The stream then sends the message as a `system` frame. The relay can read all of it; leave it out to reveal nothing. */
        SystemEvent: {
            event: components["schemas"]["SystemEventName"];
            /**
             * @description The group extension that the event is about.
             * @example 0xF000
             */
            extension_type?: string | null;
        };
        /**
         * @description What the ciphertext is about, as the sender states it.
         * @enum {string}
         */
        SystemEventName: "group_extension_updated" | "member_added" | "member_removed" | "epoch_change" | "address_rotation";
        /** @description Content for a slot. */
        TakeSlotRequest: {
            content: components["schemas"]["SlotContent"];
            /** @description The slot key that the group expects the relay with the slot to have. */
            slot_key: components["schemas"]["PublicKey"];
            public_key: components["schemas"]["TakingKey"];
            signature: components["schemas"]["TakingSignature"];
            path?: components["schemas"]["TakingPath"];
            /** @description The domain of the relay that has the slot. The default is this relay. */
            domain?: components["schemas"]["Domain"];
        };
        /** @description What the slot has. */
        TakenSlot: {
            /** @description Whether the slot has the content of the request. */
            won: boolean;
            /** @description What the slot has. Present if `won` is false. An answer to a relay that only reads has it, too. */
            content?: components["schemas"]["SlotContent"];
            receipt: components["schemas"]["SlotReceipt"];
            taker?: components["schemas"]["Taker"];
            /** @description Until when the content is kept. */
            expires_at: components["schemas"]["Timestamp"];
        };
        /** @description Which of several keys has taken the slot. Members can compute whose key it is, and need not trust the relay for it. Present if the slot is named after several keys. */
        Taker: {
            public_key: components["schemas"]["TakingKey"];
            signature: components["schemas"]["TakingSignature"];
        };
        /** @description The Ed25519 public key that the slot is named after, 32 bytes as hex. By convention it is the key whose 32-byte seed is `MLS-Exporter("mls-relay commit slot", uint32 attempt || domain of the relay, 32)` of the epoch in which the members commit, with the domain in lower case. With `path`, it is one of the keys that the slot is named after. */
        TakingKey: string;
        /** @description For a slot that is named after several keys: the nodes beside the way from the hash of `public_key` to the root, from the bottom. Without it, the slot is named after `public_key` alone. */
        TakingPath: string[];
        /** @description The signature by `public_key`, 64 bytes as hex, of the text `mls-relay commit slot taking 1`, the domain of the relay with the slot in lower case, the name of the slot, and the SHA-256 hash of the content's bytes, both in lower-case hex, in this order, with a line feed between one and the next. */
        TakingSignature: string;
        /** @description Devices that are not blocked, by their trust tier. */
        TierCounts: {
            new: components["schemas"]["Count"];
            established: components["schemas"]["Count"];
            trusted: components["schemas"]["Count"];
            verified: components["schemas"]["Count"];
        };
        /**
         * Format: int64
         * @description Unix time in seconds.
         * @example 1767225600
         */
        Timestamp: number;
        /**
         * @description A UUIDv4 of the calling relay's choosing, with or without hyphens, the same through all its attempts.
         * @example 8f14e45f-ceea-4e7a-9c1d-3b5a6d7e8f90
         */
        TransactionId: string;
        /**
         * @description `new`, `established` and `trusted` depend on the age since registration; `verified` is set by an administrator; `blocked` also stands for a ban that has not ended.
         * @enum {string}
         */
        TrustTier: "new" | "established" | "trusted" | "verified" | "blocked";
        UnblockedServer: {
            server_domain: components["schemas"]["Domain"];
            unblocked_at: components["schemas"]["Timestamp"];
            /** @description The administrator. */
            unblocked_by: components["schemas"]["CanonicalDeviceId"];
        };
        /** @description The groups with keys to change. */
        UpdateConfigRequest: {
            server?: components["schemas"]["ServerSettingsChange"];
            registration?: components["schemas"]["RegistrationSettingsChange"];
            progressive_trust?: components["schemas"]["ProgressiveTrustSettingsChange"];
            federation?: components["schemas"]["FederationSettingsChange"];
            rate_limiting?: components["schemas"]["RateLimitingSettingsChange"];
            storage?: components["schemas"]["StorageSettingsChange"];
        };
        UpdateConfigResponse: {
            config_updated_at: components["schemas"]["Timestamp"];
            /** @description The administrator. */
            updated_by: components["schemas"]["CanonicalDeviceId"];
            /**
             * @description The keys that were sent, each as its group, a dot and its name.
             * @example [
             *       "registration.mode",
             *       "storage.message_queue_limit"
             *     ]
             */
            updated_fields: string[];
            /** @description Always false, since every key takes effect at once. */
            requires_restart: boolean;
        };
        /** @description A package that the client has encrypted. */
        UploadInfoPackageRequest: {
            ciphertext: components["schemas"]["InfoPackageCiphertext"];
            package_type: components["schemas"]["InfoPackageType"];
            ttl_seconds: components["schemas"]["InfoPackageTtl"];
            max_uses?: components["schemas"]["InfoPackageMaxUses"];
        };
        /** @description The address of the package. The client builds the URL from it, and adds the key only where the server never sees it. */
        UploadInfoPackageResponse: {
            url_segment: components["schemas"]["UuidV4"];
            /** @description When the package expires, in Unix seconds. */
            expires_at: components["schemas"]["Timestamp"];
            max_uses: components["schemas"]["InfoPackageMaxUses"];
        };
        UploadKeyPackagesRequest: {
            /** @description The calling device, by its BLAKE3 hash or its public key; no other device is accepted. */
            device_id: components["schemas"]["DeviceId"];
            /** @description At most 100. May be empty only where `replace` is true or a last-resort package is sent. */
            key_packages: components["schemas"]["KeyPackage"][];
            /** @description By the device's key over the UTF-8 text `<device_id>.<key_packages joined by comma>.<timestamp>`, as sent. If `replace` or `last_resort_key_package` is sent, `.<replace>.<last_resort_key_package>` follows: `true` or `false`, and nothing for a missing package. If `address` is sent, both of these follow in any case, and `.<address>` behind them. If an audience is sent, a newline and the audience follow. */
            signature: components["schemas"]["Signature"];
            /** @description When the request was signed, at most 300 seconds ago and 60 seconds ahead. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description Drops every package stored before or, with `address`, every one that was stored for that address. False by default. */
            replace?: boolean;
            /** @description The one package that may be given out repeatedly, when no other is left. */
            last_resort_key_package?: components["schemas"]["KeyPackage"];
            audience?: components["schemas"]["Audience"];
            /** @description An active address of the calling device. The packages are for this address alone. */
            address?: components["schemas"]["Address"];
        };
        UploadKeyPackagesResponse: {
            device_id: components["schemas"]["DeviceId"];
            /**
             * Format: int64
             * @description Packages that were stored by this upload; the last-resort one does not count.
             */
            uploaded_count: number;
            available_count: components["schemas"]["AvailableCount"];
            /** @description When the packages of this upload expire. */
            expires_at: components["schemas"]["Timestamp"];
        };
        /** @description A package for the server to encrypt. */
        UploadPlainInfoPackageRequest: {
            package_type: components["schemas"]["InfoPackageType"];
            content: components["schemas"]["InfoPackageContent"];
            ttl_seconds: components["schemas"]["InfoPackageTtl"];
            max_uses?: components["schemas"]["InfoPackageMaxUses"];
        };
        /** @description The package's URL and its key, which the server has already forgotten. */
        UploadPlainInfoPackageResponse: {
            url: components["schemas"]["InfoPackageUrl"];
            /** @description The key, 32 bytes as hex. */
            decryption_key: string;
            /** @description When the package expires, in Unix seconds. */
            expires_at: components["schemas"]["Timestamp"];
            max_uses: components["schemas"]["InfoPackageMaxUses"];
            /** @description The text of a QR code: JSON with the members `infopackage_url`, `infopackage_key` (hex), `package_type` and `display_name`, and for a `group_invite` the content's `group_id`, if it is text of at most 256 characters. The name is the content's `display_name`; else its `group_name`, or the `display_name` or `name` of its default persona; else empty. It is cut after 100 characters. */
            qr_data: string;
        };
        /** @description Names a package that a device encrypted. A UUIDv4, in either case. */
        UuidSegment: string;
        /** @description A UUIDv4 with hyphens, in lower case. */
        UuidV4: string;
        /** @description The outcome for one device. `error` and `code` are present if it was not verified. */
        VerificationResult: {
            /** @description As it was sent. */
            device_id: components["schemas"]["DeviceId"];
            success: boolean;
            /**
             * Format: int64
             * @description Unix time in seconds; null if the device was not verified.
             */
            verified_at: number | null;
            /** @enum {string} */
            error?: "DEVICE_NOT_FOUND" | "CONFLICT";
            /**
             * Format: int64
             * @description The code of the error.
             */
            code?: number;
        };
        VerifyDeviceRequest: {
            device_id: components["schemas"]["DeviceId"];
            reason: components["schemas"]["Reason"];
        };
        VerifyDeviceResponse: {
            device_id: components["schemas"]["CanonicalDeviceId"];
            /** @enum {string} */
            trust_tier: "verified";
            rate_limit: components["schemas"]["MessageLimit"];
            verified_at: components["schemas"]["Timestamp"];
            /** @description The administrator. */
            verified_by: components["schemas"]["CanonicalDeviceId"];
        };
        VerifyDevicesRequest: {
            devices: components["schemas"]["VerifyDeviceRequest"][];
        };
        VerifyDevicesResponse: {
            /** Format: int64 */
            verified_count: number;
            /** Format: int64 */
            failed_count: number;
            results: components["schemas"]["VerificationResult"][];
        };
    };
    responses: {
        /**
         * @description **ADDRESS_LIMIT** (4021): The device holds as many active addresses as it may.
         *
         *     **ADDRESS_TAKEN** (4022): The prefix belongs to another device.
         *
         *     **CONFLICT** (4028): The state does not allow the request.
         */
        AddressLimitOrAddressTakenOrConflictWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **ADDRESS_LIMIT** (4021): The device holds as many active addresses as it may.
         *
         *     **CONFLICT** (4028): The state does not allow the request.
         */
        AddressLimitOrConflictWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **ADDRESS_NOT_FOUND** (4003): The recipient address has no active mapping on this server. */
        AddressNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **ADDRESS_NOT_FOUND** (4003): The recipient address has no active mapping on this server. */
        AddressNotFoundWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **CHALLENGE_EXPIRED** (4011): The challenge is expired, unknown or used. */
        ChallengeExpired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **CHALLENGE_EXPIRED** (4011): The challenge is expired, unknown or used. */
        ChallengeExpiredWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **CONFLICT** (4028): The state does not allow the request. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **CONFLICT** (4028): The state does not allow the request. */
        ConflictWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **DEVICE_NOT_FOUND** (4014): The device is not registered here. */
        DeviceNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **DEVICE_NOT_FOUND** (4014): The device is not registered here.
         *
         *     **NO_KEY_PACKAGES** (4024): The device has no key package left.
         */
        DeviceNotFoundOrNoKeyPackagesWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **DEVICE_NOT_FOUND** (4014): The device is not registered here.
         *
         *     **NOT_FOUND** (4016): There is no such resource or route.
         */
        DeviceNotFoundOrNotFoundWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **DEVICE_NOT_FOUND** (4014): The device is not registered here. */
        DeviceNotFoundWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **FEDERATION_FAILED** (4006): The remote server cannot be used for this message, commit slot or key package: it is blocked here or not on the allowlist, or it has no commit slots or key packages for other servers. */
        FederationFailedWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **INFOPACKAGE_EXHAUSTED** (4017): All uses of the info package are consumed. */
        InfopackageExhausted: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **INFOPACKAGE_RATE_LIMIT** (4009): The upload limit for info packages is used up. */
        InfopackageRateLimitWithLimits: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **INSUFFICIENT_PERMISSIONS** (4012): The admin lacks the permission that the operation asks for. */
        InsufficientPermissions: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **INSUFFICIENT_PERMISSIONS** (4012): The admin lacks the permission that the operation asks for. */
        InsufficientPermissionsWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **INTERNAL** (5000): A fault of the server; request_id finds it in the log. */
        Internal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **INTERNAL** (5000): A fault of the server; request_id finds it in the log. */
        InternalWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **INVALID_ADMIN** (4010): The device is not on the admin list, or its key did not sign the login. */
        InvalidAdmin: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **INVALID_CERTIFICATE** (4001): The federation certificate or the answer to the nonce is not accepted.
         *
         *     **SERVER_BLOCKED** (4025): The federation request comes from a server that is blocked or not on the allowlist.
         */
        InvalidCertificateOrServerBlockedWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **INVALID_REQUEST** (4000): The request breaks the contract; details names each member at fault. */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **INVALID_REQUEST** (4000): The request breaks the contract; details names each member at fault.
         *
         *     **DIGEST_MISMATCH** (4060): The part of a blob does not have the digest that its header names: send it again.
         */
        InvalidRequestOrDigestMismatch: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
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
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **INVALID_REQUEST** (4000): The request breaks the contract; details names each member at fault.
         *
         *     **INVALID_ADDRESS** (4005): A malformed address or domain.
         *
         *     **INVALID_CONFIG** (4013): A configuration value or an info-package bound is out of range or of a wrong type, or the configuration key is unknown.
         */
        InvalidRequestOrInvalidAddressOrInvalidConfigWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **INVALID_REQUEST** (4000): The request breaks the contract; details names each member at fault.
         *
         *     **INVALID_ADDRESS** (4005): A malformed address or domain.
         */
        InvalidRequestOrInvalidAddressWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **INVALID_REQUEST** (4000): The request breaks the contract; details names each member at fault.
         *
         *     **INVALID_CONFIG** (4013): A configuration value or an info-package bound is out of range or of a wrong type, or the configuration key is unknown.
         */
        InvalidRequestOrInvalidConfigWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **INVALID_REQUEST** (4000): The request breaks the contract; details names each member at fault.
         *
         *     **INVALID_CONFIG** (4012): custom_rate_limit lies outside 0 to 1000.
         */
        InvalidRequestOrInvalidRateLimit: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **INVALID_REQUEST** (4000): The request breaks the contract; details names each member at fault.
         *
         *     **PUSH_ENDPOINT_REFUSED** (4036): Nothing is pushed to this endpoint: its host is not a name, does not resolve, or lies on a private network, or its port is not allowed.
         */
        InvalidRequestOrPushEndpointRefusedWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **INVALID_REQUEST** (4000): The request breaks the contract; details names each member at fault. */
        InvalidRequestWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **INVALID_SIGNATURE** (4001): The Ed25519 signature does not verify; details names the text to sign.
         *
         *     **INVALID_PROOF** (4019): The delay proof is missing or not accepted; the message says why.
         *
         *     **IP_BANNED** (4020): A wrong proof came from this network address; challenges and first announcements are refused until reset_at.
         *
         *     **REGISTRATION_CLOSED** (4023): Registration is off, or an invite is required, used up or not trusted.
         */
        InvalidSignatureOrInvalidProofOrIpBannedOrRegistrationClosedWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **INVALID_SIGNATURE** (4001): The Ed25519 signature does not verify; details names the text to sign.
         *
         *     **SERVER_BLOCKED** (4025): The federation request comes from a server that is blocked or not on the allowlist.
         */
        InvalidSignatureOrServerBlockedWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **INVALID_SIGNATURE** (4001): The Ed25519 signature does not verify; details names the text to sign. */
        InvalidSignatureWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **INVALID_TOKEN** (4008): A missing, malformed, expired or revoked token, or one of another kind. */
        InvalidToken: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **INVALID_TOKEN** (4008): A missing, malformed, expired or revoked token, or one of another kind. */
        InvalidTokenWithLimits: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **IP_BANNED** (4020): A wrong proof came from this network address; challenges and first announcements are refused until reset_at.
         *
         *     **REGISTRATION_CLOSED** (4023): Registration is off, or an invite is required, used up or not trusted.
         */
        IpBannedOrRegistrationClosedWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **MESSAGE_TOO_LARGE** (4015): The decoded ciphertext or the body is over its limit. */
        MessageTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **MESSAGE_TOO_LARGE** (4015): The decoded ciphertext or the body is over its limit. */
        MessageTooLargeWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **NOT_FOUND** (4016): There is no such resource or route. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **NOT_FOUND** (4016): There is no such resource or route. */
        NotFoundWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
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
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **OVERLOADED** (5001): A bounded queue of the server is full; try again after Retry-After seconds.
         *
         *     **DATABASE_UNAVAILABLE** (5002): The database does not answer; try again after Retry-After seconds.
         *
         *     **BLOBS_DISABLED** (5060): This server stores no blobs.
         */
        OverloadedOrDatabaseUnavailableOrBlobsDisabled: {
            headers: {
                /**
                 * @description Seconds to wait before the next attempt.
                 * @example 5
                 */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **OVERLOADED** (5001): A bounded queue of the server is full; try again after Retry-After seconds.
         *
         *     **DATABASE_UNAVAILABLE** (5002): The database does not answer; try again after Retry-After seconds.
         *
         *     **BLOBS_DISABLED** (5060): This server stores no blobs.
         */
        OverloadedOrDatabaseUnavailableOrBlobsDisabledWithLimits: {
            headers: {
                /**
                 * @description Seconds to wait before the next attempt.
                 * @example 5
                 */
                "Retry-After"?: number;
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **OVERLOADED** (5001): A bounded queue of the server is full; try again after Retry-After seconds.
         *
         *     **DATABASE_UNAVAILABLE** (5002): The database does not answer; try again after Retry-After seconds.
         *
         *     **FEDERATION_DISABLED** (5003): Federation is switched off on this server, or, where a message is sent to another one, this server has no certificate to show there.
         *
         *     **PEER_UNAVAILABLE** (5005): The other server has not given an answer that can be used. It may have done what was asked: repeat the same request after Retry-After seconds.
         */
        OverloadedOrDatabaseUnavailableOrFederationDisabledOrPeerUnavailableWithLimits: {
            headers: {
                /**
                 * @description Seconds to wait before the next attempt.
                 * @example 5
                 */
                "Retry-After"?: number;
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **OVERLOADED** (5001): A bounded queue of the server is full; try again after Retry-After seconds.
         *
         *     **DATABASE_UNAVAILABLE** (5002): The database does not answer; try again after Retry-After seconds.
         *
         *     **FEDERATION_DISABLED** (5003): Federation is switched off on this server, or, where a message is sent to another one, this server has no certificate to show there.
         */
        OverloadedOrDatabaseUnavailableOrFederationDisabledWithLimits: {
            headers: {
                /**
                 * @description Seconds to wait before the next attempt.
                 * @example 5
                 */
                "Retry-After"?: number;
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **OVERLOADED** (5001): A bounded queue of the server is full; try again after Retry-After seconds.
         *
         *     **DATABASE_UNAVAILABLE** (5002): The database does not answer; try again after Retry-After seconds.
         *
         *     **PUSH_DISABLED** (5008): Wake-up pushes are switched off on this server.
         */
        OverloadedOrDatabaseUnavailableOrPushDisabledWithLimits: {
            headers: {
                /**
                 * @description Seconds to wait before the next attempt.
                 * @example 5
                 */
                "Retry-After"?: number;
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **OVERLOADED** (5001): A bounded queue of the server is full; try again after Retry-After seconds.
         *
         *     **DATABASE_UNAVAILABLE** (5002): The database does not answer; try again after Retry-After seconds.
         */
        OverloadedOrDatabaseUnavailableWithLimits: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **PUSH_CODE_WRONG** (4037): The code is not the one that was last pushed to the endpoint, or it has expired. */
        PushCodeWrongWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **QUEUE_FULL** (5004): The recipient's queue, the outbox to its server, or the space for blobs, for commit slots or for info packages without an uploader is at its limit. */
        QueueFull: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **QUEUE_FULL** (5004): The recipient's queue, the outbox to its server, or the space for blobs, for commit slots or for info packages without an uploader is at its limit. */
        QueueFullWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **RANGE_NOT_SATISFIABLE** (4061): The range lies behind the end of the blob, whose size Content-Range names. */
        RangeNotSatisfiableWithLimits: {
            headers: {
                "Content-Range": components["headers"]["ContentRange"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **RATE_LIMIT_EXCEEDED** (4004): A limit is used up. A blocked or banned device gets limit 0; reset_at is null for a block and the end of a ban. */
        RateLimitExceededWithLimits: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **REQUEST_TIMEOUT** (4040): The request stopped arriving, or arrived too slowly; try again after Retry-After seconds. */
        RequestTimeout: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **REQUEST_TIMEOUT** (4040): The request stopped arriving, or arrived too slowly; try again after Retry-After seconds. */
        RequestTimeoutWithLimits: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **SERVER_BLOCKED** (4025): The federation request comes from a server that is blocked or not on the allowlist. */
        ServerBlockedWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **SERVER_UNREACHABLE** (4007): The server is not in the federation records. */
        ServerUnreachable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description **SLOT_EXPIRED** (4031): The commit slot was taken, and its content is kept no longer.
         *
         *     **SLOTS_RESTARTED** (4032): The request names a slot key that is not this server's: the server was restored from a backup, or never had that key.
         */
        SlotExpiredOrSlotsRestartedWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **SLOT_EXPIRED** (4031): The commit slot was taken, and its content is kept no longer. */
        SlotExpiredWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **UNAUTHORIZED** (4018): Not the uploader, or a wrong revocation, poll, upload or delete token. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **UNSUPPORTED_MEDIA_TYPE** (4027): A body must be application/json, in UTF-8; a part of a blob must be application/octet-stream. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description **UNSUPPORTED_MEDIA_TYPE** (4027): A body must be application/json, in UTF-8; a part of a blob must be application/octet-stream. */
        UnsupportedMediaTypeWithLimits: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description The answer must not be cached.
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
        /**
         * @description How many bytes there are.
         * @example bytes *\/1048592
         */
        ContentRange: string;
        /**
         * @description What is left of each limit that the request was counted by, a list of structured fields (draft-ietf-httpapi-ratelimit-headers-10): `r` is what is left, `t` the seconds until the window ends, without which the window has not begun. Absent where nothing was counted, or nothing is limited.
         * @example "messages";r=57;t=1800, "misses";r=180
         */
        RateLimit: string;
        /**
         * @description The same limits: `q` is how much one window allows, `w` its length in seconds.
         * @example "messages";q=60;w=3600, "misses";q=180;w=3600
         */
        RateLimitPolicy: string;
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
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationChallenge"];
                };
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            403: components["responses"]["IpBannedOrRegistrationClosedWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
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
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationChallenge"];
                };
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            403: components["responses"]["IpBannedOrRegistrationClosedWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
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
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnnounceWithProofResponse"];
                };
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            403: components["responses"]["InvalidSignatureOrInvalidProofOrIpBannedOrRegistrationClosedWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            409: components["responses"]["AddressLimitOrConflictWithLimits"];
            410: components["responses"]["ChallengeExpiredWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
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
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnnounceDeviceResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddressWithLimits"];
            403: components["responses"]["InvalidSignatureOrInvalidProofOrIpBannedOrRegistrationClosedWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            409: components["responses"]["AddressLimitOrAddressTakenOrConflictWithLimits"];
            410: components["responses"]["ChallengeExpiredWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    listAddresses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The active addresses. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceAddresses"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    endAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The part of the address before the `@`, in any spelling.
                 * @example 5a3c9f00d1e24b7f8a6b1c2d3e4f5061
                 */
                prefix: components["schemas"]["AddressPrefix"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The address has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndedAddress"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            404: components["responses"]["AddressNotFound"];
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
                     * @description For how long the document may be cached.
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
                     * @description For how long the key set may be cached.
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
                 * @description The most messages in the page; 100 by default.
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
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendMessageResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddressWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            404: components["responses"]["AddressNotFoundWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            502: components["responses"]["FederationFailedWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrFederationDisabledWithLimits"];
            507: components["responses"]["QueueFullWithLimits"];
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
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendMessageBatchResponse"];
                };
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    sendMessageToMany: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendMessageToManyRequest"];
            };
        };
        responses: {
            /** @description The status for each recipient. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendMessageToManyResponse"];
                };
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
            507: components["responses"]["QueueFullWithLimits"];
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
            408: components["responses"]["RequestTimeout"];
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
    readSlots: {
        parameters: {
            query?: {
                /**
                 * @description The domain of the relay that has the slots. The default is this relay.
                 * @example peer.example
                 */
                domain?: components["schemas"]["Domain"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadSlotsRequest"];
            };
        };
        responses: {
            /** @description What each slot has. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlotReadings"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddressWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            502: components["responses"]["FederationFailedWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrFederationDisabledOrPeerUnavailableWithLimits"];
        };
    };
    getSlot: {
        parameters: {
            query?: {
                /**
                 * @description The domain of the relay that has the slot. The default is this relay.
                 * @example peer.example
                 */
                domain?: components["schemas"]["Domain"];
            };
            header?: never;
            path: {
                /**
                 * @description The name of the slot.
                 * @example 094503647fb038b533a01bea4e1a61b2cca3f806710bc49c7ce1b65ef0917d37
                 */
                slot: components["schemas"]["SlotName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the slot has taken. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Slot"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddressWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            404: components["responses"]["NotFoundWithLimits"];
            410: components["responses"]["SlotExpiredWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            502: components["responses"]["FederationFailedWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrFederationDisabledOrPeerUnavailableWithLimits"];
        };
    };
    takeSlot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The name of the slot.
                 * @example 094503647fb038b533a01bea4e1a61b2cca3f806710bc49c7ce1b65ef0917d37
                 */
                slot: components["schemas"]["SlotName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TakeSlotRequest"];
            };
        };
        responses: {
            /** @description The slot is taken, by this request or by another one. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TakenSlot"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddressWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            403: components["responses"]["InvalidSignatureWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            410: components["responses"]["SlotExpiredOrSlotsRestartedWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            502: components["responses"]["FederationFailedWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrFederationDisabledOrPeerUnavailableWithLimits"];
            507: components["responses"]["QueueFullWithLimits"];
        };
    };
    getPushSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription of the calling device. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscription"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    subscribeToPush: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscribeToPushRequest"];
            };
        };
        responses: {
            /** @description The subscription is stored. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscribedToPush"];
                };
            };
            400: components["responses"]["InvalidRequestOrPushEndpointRefusedWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrPushDisabledWithLimits"];
        };
    };
    unsubscribeFromPush: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The device has no subscription any more. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscriptionRemoved"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    confirmPushSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmPushSubscriptionRequest"];
            };
        };
        responses: {
            /** @description The subscription is confirmed. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscription"];
                };
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            403: components["responses"]["PushCodeWrongWithLimits"];
            404: components["responses"]["NotFoundWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    testPushSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the push service answered. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrPushEndpointRefusedWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            404: components["responses"]["NotFoundWithLimits"];
            409: components["responses"]["ConflictWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrPushDisabledWithLimits"];
        };
    };
    createBlob: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateBlobRequest"];
            };
        };
        responses: {
            /** @description The space is reserved. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedBlob"];
                };
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrBlobsDisabledWithLimits"];
            507: components["responses"]["QueueFullWithLimits"];
        };
    };
    downloadBlob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The wanted range of bytes (RFC 9110, section 14).
                 * @example bytes=65552-
                 */
                Range?: string;
                /**
                 * @description The `ETag` that the range is for. If it is another one, all bytes are sent.
                 * @example "8c1f0a4b52d7e96388f1d0c4b7a2e593"
                 */
                "If-Range"?: string;
                /**
                 * @description 16 random bytes as hex, the same in all requests of one download.
                 * @example 2b7e151628aed2a6abf7158809cf4f3c
                 */
                "X-Download-Id"?: string;
            };
            path: {
                /**
                 * @description The blob's id.
                 * @example 8c1f0a4b52d7e96388f1d0c4b7a2e5936d8c1b0f4a7e2d5980b3c6f1a4d7e0b3
                 */
                blob_id: components["schemas"]["BlobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All bytes. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description The number of bytes in the body.
                     * @example 1048592
                     */
                    "Content-Length": number;
                    /**
                     * @description Ranges of bytes are supported.
                     * @example bytes
                     */
                    "Accept-Ranges": "bytes";
                    /**
                     * @description Stands for the bytes of the blob.
                     * @example "8c1f0a4b52d7e96388f1d0c4b7a2e593"
                     */
                    ETag: string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The range of bytes that was asked for. */
            206: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description The number of bytes in the body.
                     * @example 1048592
                     */
                    "Content-Length": number;
                    /**
                     * @description Ranges of bytes are supported.
                     * @example bytes
                     */
                    "Accept-Ranges": "bytes";
                    /**
                     * @description Stands for the bytes of the blob.
                     * @example "8c1f0a4b52d7e96388f1d0c4b7a2e593"
                     */
                    ETag: string;
                    /**
                     * @description Which bytes these are, and how many the blob has.
                     * @example bytes 65552-1048591/1048592
                     */
                    "Content-Range": string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /**
             * @description The bytes are read at another address, with the same `Range`. It works for five minutes; whoever asks for the
             *     rest later asks here again. A relay may answer so for blobs without `max_downloads`, if the request has
             *     no `If-Range`.
             */
            307: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    /**
                     * @description Where the storage of the relay hands the bytes out.
                     * @example https://blobs.example/mls-relay/8c1f0a4b52d7e963?X-Amz-Expires=300
                     */
                    Location: string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            404: components["responses"]["NotFoundWithLimits"];
            416: components["responses"]["RangeNotSatisfiableWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrBlobsDisabledWithLimits"];
        };
    };
    deleteBlob: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `delete_token` of the blob.
                 * @example 6e5d4c3b2a19080706f5e4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a09f
                 */
                "X-Delete-Token": components["schemas"]["BlobToken"];
            };
            path: {
                /**
                 * @description The blob's id.
                 * @example 8c1f0a4b52d7e96388f1d0c4b7a2e5936d8c1b0f4a7e2d5980b3c6f1a4d7e0b3
                 */
                blob_id: components["schemas"]["BlobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The blob is deleted. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedBlob"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrBlobsDisabled"];
        };
    };
    uploadBlobPart: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `upload_token` of the blob.
                 * @example 1f6c0d2b7a9e4853c1b0f7d6e5a49382716f0e1d2c3b4a5968778695a4b3c2d1
                 */
                "X-Upload-Token": components["schemas"]["BlobToken"];
                /**
                 * @description The SHA-256 hash of the part, in the form of RFC 9530.
                 * @example sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:
                 */
                "Content-Digest": string;
            };
            path: {
                /**
                 * @description The blob's id.
                 * @example 8c1f0a4b52d7e96388f1d0c4b7a2e5936d8c1b0f4a7e2d5980b3c6f1a4d7e0b3
                 */
                blob_id: components["schemas"]["BlobId"];
                /**
                 * @description The number of the part, from 0.
                 * @example 0
                 */
                part: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The part is stored. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredPart"];
                };
            };
            400: components["responses"]["InvalidRequestOrDigestMismatch"];
            403: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrBlobsDisabled"];
            507: components["responses"]["QueueFull"];
        };
    };
    getBlobUpload: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `upload_token` of the blob.
                 * @example 1f6c0d2b7a9e4853c1b0f7d6e5a49382716f0e1d2c3b4a5968778695a4b3c2d1
                 */
                "X-Upload-Token": components["schemas"]["BlobToken"];
            };
            path: {
                /**
                 * @description The blob's id.
                 * @example 8c1f0a4b52d7e96388f1d0c4b7a2e5936d8c1b0f4a7e2d5980b3c6f1a4d7e0b3
                 */
                blob_id: components["schemas"]["BlobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the upload. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlobUpload"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrBlobsDisabled"];
        };
    };
    completeBlob: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `upload_token` of the blob.
                 * @example 1f6c0d2b7a9e4853c1b0f7d6e5a49382716f0e1d2c3b4a5968778695a4b3c2d1
                 */
                "X-Upload-Token": components["schemas"]["BlobToken"];
            };
            path: {
                /**
                 * @description The blob's id.
                 * @example 8c1f0a4b52d7e96388f1d0c4b7a2e5936d8c1b0f4a7e2d5980b3c6f1a4d7e0b3
                 */
                blob_id: components["schemas"]["BlobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The blob is complete. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompletedBlob"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrBlobsDisabled"];
            507: components["responses"]["QueueFull"];
        };
    };
    getLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limits of the device. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceLimits"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    claimKeyPackagesForPeer: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The domain of the calling relay, as in its token and in the body.
                 * @example peer.example
                 */
                "X-Origin-Server": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FederatedClaimRequest"];
            };
        };
        responses: {
            /** @description A package, or a reason, for each address. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimedKeyPackages"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddressWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            403: components["responses"]["ServerBlockedWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrFederationDisabledWithLimits"];
        };
    };
    askSlot: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The domain of the calling relay, as in its token and in the body.
                 * @example peer.example
                 */
                "X-Origin-Server": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FederatedSlotRequest"];
            };
        };
        responses: {
            /** @description The slot is taken, by this request or by another one. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TakenSlot"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddressWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            403: components["responses"]["InvalidSignatureOrServerBlockedWithLimits"];
            404: components["responses"]["NotFoundWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            410: components["responses"]["SlotExpiredOrSlotsRestartedWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrFederationDisabledWithLimits"];
            507: components["responses"]["QueueFullWithLimits"];
        };
    };
    createFederationChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FederationChallengeRequest"];
            };
        };
        responses: {
            /** @description The nonce. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FederationChallengeResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddressWithLimits"];
            403: components["responses"]["ServerBlockedWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrFederationDisabledWithLimits"];
        };
    };
    authenticateServer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FederationAuthRequest"];
            };
        };
        responses: {
            /** @description A token for about an hour. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FederationAuthResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddressWithLimits"];
            403: components["responses"]["InvalidCertificateOrServerBlockedWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrFederationDisabledWithLimits"];
        };
    };
    pushOnlineMessages: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The domain of the calling relay, as in its token and in the body.
                 * @example peer.example
                 */
                "X-Origin-Server": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PushOnlineMessagesRequest"];
            };
        };
        responses: {
            /** @description The messages were received. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushOnlineMessagesResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddressWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            403: components["responses"]["ServerBlockedWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrFederationDisabledWithLimits"];
        };
    };
    forwardSpamReport: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The domain of the calling relay, as in its token and in the body.
                 * @example peer.example
                 */
                "X-Origin-Server": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForwardSpamReportRequest"];
            };
        };
        responses: {
            /** @description The report was received. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForwardSpamReportResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddressWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            403: components["responses"]["ServerBlockedWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrFederationDisabledWithLimits"];
        };
    };
    deliverTransaction: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The domain of the calling relay, as in its token and in the body.
                 * @example peer.example
                 */
                "X-Origin-Server": string;
            };
            path: {
                /**
                 * @description The transaction's id.
                 * @example 8f14e45f-ceea-4e7a-9c1d-3b5a6d7e8f90
                 */
                transaction_id: components["schemas"]["TransactionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeliverTransactionRequest"];
            };
        };
        responses: {
            /** @description The outcome for each message. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliverTransactionResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddressWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            403: components["responses"]["ServerBlockedWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            409: components["responses"]["ConflictWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrFederationDisabledWithLimits"];
        };
    };
    getBlocklist: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The signed list. */
            200: {
                headers: {
                    /**
                     * @description For how long the list may be cached.
                     * @example public, max-age=300
                     */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedBlocklist"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    getAdminChallenge: {
        parameters: {
            query?: never;
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
                    "application/json": components["schemas"]["AdminChallenge"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    loginAdmin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdminLoginRequest"];
            };
        };
        responses: {
            /** @description The session has begun. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminLoginResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdmin"];
            408: components["responses"]["RequestTimeout"];
            410: components["responses"]["ChallengeExpired"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    refreshAdminToken: {
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
                    "application/json": components["schemas"]["RefreshAdminTokenResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    logoutAdmin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminLogoutResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    loginWithLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LinkLoginRequest"];
            };
        };
        responses: {
            /** @description The session has begun. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkLoginResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAdmin"];
            408: components["responses"]["RequestTimeout"];
            410: components["responses"]["ChallengeExpired"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    listAdminSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminSessionList"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    endAdminSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session's id.
                 * @example 3b9f2c1e-6a7d-4e8f-9b0a-1c2d3e4f5a6b
                 */
                session_id: components["schemas"]["UuidV4"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndedAdminSession"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    getConfig: {
        parameters: {
            query?: never;
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The configuration. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerConfig"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    updateConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateConfigRequest"];
            };
        };
        responses: {
            /** @description The keys are changed. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateConfigResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidConfigWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            403: components["responses"]["InsufficientPermissionsWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    deleteVerification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The device's id, or its public key.
                 * @example 0f0369a2c2d4f6a7b8c9d0e1f20314253647586970a1b2c3d4e5f60718293a4b
                 */
                device_id: components["schemas"]["DeviceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verification is withdrawn. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokeVerificationResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            404: components["responses"]["DeviceNotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    verifyDevice: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyDeviceRequest"];
            };
        };
        responses: {
            /** @description The device is verified. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyDeviceResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            404: components["responses"]["DeviceNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    verifyDevices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyDevicesRequest"];
            };
        };
        responses: {
            /** @description Every device has a result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyDevicesResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    revokeVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevokeVerificationRequest"];
            };
        };
        responses: {
            /** @description The verification is withdrawn. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokeVerificationResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            404: components["responses"]["DeviceNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    setRateLimit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetRateLimitRequest"];
            };
        };
        responses: {
            /** @description The limit is set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetRateLimitResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidRateLimit"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            404: components["responses"]["DeviceNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    listPendingDevices: {
        parameters: {
            query?: {
                /** @description The least hours since registration. */
                min_age_hours?: number;
                /** @description The most hours since registration. */
                max_age_hours?: number;
                /** @description The least messages that the device has sent. */
                min_messages?: number;
                /** @description The most spam reports against the device. */
                max_spam_reports?: number;
                /** @description The most devices in the answer. Without it, all that match are in the answer. */
                limit?: number;
            };
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The devices. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingDevicesResponse"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    listDevices: {
        parameters: {
            query?: {
                /** @description An address of this server. Only the device that holds it is listed. */
                address?: components["schemas"]["Address"];
                /** @description The hex digits that the ids begin with. */
                id_prefix?: string;
                /** @description Only devices in this state. `blocked` includes banned ones. */
                state?: "any" | "blocked" | "verified" | "unverified";
                /** @description The order; with a minus sign the latest come first. */
                sort?: "last_active" | "-last_active" | "registered_at" | "-registered_at";
                /** @description The most devices in the answer. */
                limit?: number;
                /** @description How many of the first to skip. */
                offset?: number;
            };
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The devices. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceList"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestOrInvalidAddress"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    getDevice: {
        parameters: {
            query?: never;
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The device's id, or its public key.
                 * @example 0f0369a2c2d4f6a7b8c9d0e1f20314253647586970a1b2c3d4e5f60718293a4b
                 */
                device_id: components["schemas"]["DeviceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The device. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceDetail"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            404: components["responses"]["DeviceNotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    deleteDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The device's id, or its public key.
                 * @example 0f0369a2c2d4f6a7b8c9d0e1f20314253647586970a1b2c3d4e5f60718293a4b
                 */
                device_id: components["schemas"]["DeviceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The device is deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedDevice"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            404: components["responses"]["DeviceNotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    testDevicePush: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The device's id, or its public key.
                 * @example 0f0369a2c2d4f6a7b8c9d0e1f20314253647586970a1b2c3d4e5f60718293a4b
                 */
                device_id: components["schemas"]["DeviceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the push service answered. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrPushEndpointRefusedWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            403: components["responses"]["InsufficientPermissionsWithLimits"];
            404: components["responses"]["DeviceNotFoundOrNotFoundWithLimits"];
            409: components["responses"]["ConflictWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrPushDisabledWithLimits"];
        };
    };
    blockDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The device's id, or its public key.
                 * @example 0f0369a2c2d4f6a7b8c9d0e1f20314253647586970a1b2c3d4e5f60718293a4b
                 */
                device_id: components["schemas"]["DeviceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BlockDeviceRequest"];
            };
        };
        responses: {
            /** @description The device is blocked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockedDevice"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            404: components["responses"]["DeviceNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    blockServer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BlockServerRequest"];
            };
        };
        responses: {
            /** @description The server is blocked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockedServer"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddress"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    unblockServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The server's domain.
                 * @example spam.example
                 */
                server_domain: components["schemas"]["Domain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The block has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnblockedServer"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddress"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    listBlockedServers: {
        parameters: {
            query?: {
                /** @description The most entries in the answer. Without it, all blocks are in the answer, up to 10,000. */
                limit?: number;
                /** @description How many of the latest to skip. */
                offset?: number;
            };
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The blocks. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FederationBlocklist"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    getServerReputation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The server's domain.
                 * @example spam.example
                 */
                server_domain: components["schemas"]["Domain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerReputation"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestOrInvalidAddress"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            404: components["responses"]["ServerUnreachable"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    listPeers: {
        parameters: {
            query?: {
                /** @description The most servers in the answer. */
                limit?: number;
                /** @description How many of the most recently active to skip. */
                offset?: number;
            };
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The servers. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PeerList"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    listPeerBlocklists: {
        parameters: {
            query?: {
                /** @description The most lists in the answer. */
                limit?: number;
                /** @description How many to skip, in the order of the publishers' names. */
                offset?: number;
            };
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lists. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PeerBlocklists"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    getPeerBlocklist: {
        parameters: {
            query?: never;
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The domain of the server that publishes the list.
                 * @example peer.example
                 */
                server_domain: components["schemas"]["Domain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PeerBlocklist"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestOrInvalidAddress"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    getFederationPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policy. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FederationPolicy"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    setFederationPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetFederationPolicyRequest"];
            };
        };
        responses: {
            /** @description The policy is set. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetFederationPolicyResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddressOrInvalidConfigWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            403: components["responses"]["InsufficientPermissionsWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    listOutboxBacklogs: {
        parameters: {
            query?: {
                /** @description The most entries in the answer. */
                limit?: number;
            };
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The destinations. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutboxBacklogs"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    retryOutbox: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The server's domain.
                 * @example spam.example
                 */
                server_domain: components["schemas"]["Domain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is tried at once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetriedOutbox"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddress"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    purgeOutbox: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The server's domain.
                 * @example spam.example
                 */
                server_domain: components["schemas"]["Domain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The messages are dropped. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PurgedOutbox"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddress"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    listInvites: {
        parameters: {
            query?: {
                /** @description The most invites in the answer. */
                limit?: number;
                /** @description How many of the youngest to skip. */
                offset?: number;
            };
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invites. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InviteList"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    createInvite: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateInviteRequest"];
            };
        };
        responses: {
            /** @description The invite. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedInvite"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddress"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    revokeInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The invite's id.
                 * @example 7a3c1e5d-2b4f-4c6a-9d8e-0f1a2b3c4d5e
                 */
                invite_id: components["schemas"]["UuidV4"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invite is revoked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedInvite"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    reportSpam: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SpamReportRequest"];
            };
        };
        responses: {
            /** @description The report is recorded, now or before. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpamReportResponse"];
                };
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            404: components["responses"]["DeviceNotFoundWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    uploadInfoPackage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UploadInfoPackageRequest"];
            };
        };
        responses: {
            /** @description The package is stored. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadInfoPackageResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidConfigWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["InfopackageRateLimitWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    getInfoPackage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description 16 random bytes as hex, new for each download and the same if it is repeated.
                 * @example 2b7e151628aed2a6abf7158809cf4f3c
                 */
                "X-Download-Id"?: string;
            };
            path: {
                /**
                 * @description The package's address, as returned by the upload.
                 * @example 5b8f2d1e-3c4a-4f6b-9d7e-0a1b2c3d4e5f
                 */
                url_segment: components["schemas"]["UuidSegment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The package. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InfoPackage"];
                };
            };
            /** @description The link was opened by a browser, and the operator has named an application that opens such links. No use is consumed. */
            303: {
                headers: {
                    /**
                     * @description The application's page, with the address of this request in the query parameter `info`. The browser adds the link's fragment.
                     * @example https://relay.example/app/?info=https%3A%2F%2Frelay.example%2Fapi%2Fv1%2Finfopackages%2F5b8f2d1e-3c4a-4f6b-9d7e-0a1b2c3d4e5f
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["NotFound"];
            /** @description The link was opened by a browser or by a program that previews links. The page says what the link is for; no use is consumed. */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            410: components["responses"]["InfopackageExhausted"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    revokeInfoPackage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The package's address, as returned by the upload.
                 * @example 5b8f2d1e-3c4a-4f6b-9d7e-0a1b2c3d4e5f
                 */
                url_segment: components["schemas"]["UuidSegment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The package is deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InfoPackageRevoked"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    createRevocableInfoPackage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateRevocableInfoPackageRequest"];
            };
        };
        responses: {
            /** @description The package is stored. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateRevocableInfoPackageResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidConfigWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["InfopackageRateLimitWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
            507: components["responses"]["QueueFullWithLimits"];
        };
    };
    getRevocableInfoPackage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description 16 random bytes as hex, new for each download and the same if it is repeated.
                 * @example 2b7e151628aed2a6abf7158809cf4f3c
                 */
                "X-Download-Id"?: string;
            };
            path: {
                /**
                 * @description The last part of the package's URL.
                 * @example 9c1e5a7b3d2f4860a1b2c3d4e5f60718
                 */
                segment: components["schemas"]["HexSegment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The package. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevocableInfoPackage"];
                };
            };
            /** @description The link was opened by a browser, and the operator has named an application that opens such links. No use is consumed. */
            303: {
                headers: {
                    /**
                     * @description The application's page, with the address of this request in the query parameter `info`. The browser adds the link's fragment.
                     * @example https://relay.example/app/?info=https%3A%2F%2Frelay.example%2Fapi%2Fv1%2Finfopackages%2F5b8f2d1e-3c4a-4f6b-9d7e-0a1b2c3d4e5f
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["NotFound"];
            /** @description The link was opened by a browser or by a program that previews links. The page says what the link is for; no use is consumed. */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            410: components["responses"]["InfopackageExhausted"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    revokeRevocableInfoPackage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The token that the upload returned.
                 * @example 7a0f2c4e6b8d1f3a5c7e9b0d2f4a6c8e1b3d5f7092a4c6e8f0b2d4e6a8c0e2f4
                 */
                "X-Revocation-Token": components["schemas"]["RevocationToken"];
            };
            path: {
                /**
                 * @description The last part of the package's URL.
                 * @example 9c1e5a7b3d2f4860a1b2c3d4e5f60718
                 */
                segment: components["schemas"]["HexSegment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The package is deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevocableInfoPackageRevoked"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    uploadPlainInfoPackage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UploadPlainInfoPackageRequest"];
            };
        };
        responses: {
            /** @description The package is stored, encrypted. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadPlainInfoPackageResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidConfigWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["InfopackageRateLimitWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    getPlainInfoPackage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description 16 random bytes as hex, new for each download and the same if it is repeated.
                 * @example 2b7e151628aed2a6abf7158809cf4f3c
                 */
                "X-Download-Id"?: string;
            };
            path: {
                /**
                 * @description The last part of the package's URL.
                 * @example 0f1e2d3c4b5a69788796a5b4c3d2e1f0
                 */
                url_segment: components["schemas"]["HexSegment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The package. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainInfoPackage"];
                };
            };
            /** @description The link was opened by a browser, and the operator has named an application that opens such links. No use is consumed. */
            303: {
                headers: {
                    /**
                     * @description The application's page, with the address of this request in the query parameter `info`. The browser adds the link's fragment.
                     * @example https://relay.example/app/?info=https%3A%2F%2Frelay.example%2Fapi%2Fv1%2Finfopackages%2F5b8f2d1e-3c4a-4f6b-9d7e-0a1b2c3d4e5f
                     */
                    Location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["NotFound"];
            /** @description The link was opened by a browser or by a program that previews links. The page says what the link is for; no use is consumed. */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            410: components["responses"]["InfopackageExhausted"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    revokePlainInfoPackage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The last part of the package's URL.
                 * @example 0f1e2d3c4b5a69788796a5b4c3d2e1f0
                 */
                url_segment: components["schemas"]["HexSegment"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The package is deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InfoPackageRevoked"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    uploadKeyPackages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UploadKeyPackagesRequest"];
            };
        };
        responses: {
            /** @description The packages are stored. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadKeyPackagesResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddressWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            403: components["responses"]["InvalidSignatureWithLimits"];
            404: components["responses"]["AddressNotFoundWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            409: components["responses"]["ConflictWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    fetchKeyPackage: {
        parameters: {
            query: {
                /**
                 * @description The device whose package to fetch.
                 * @example 4f9d4bb1d4c0f5a6b1b8f3b2e4f4b5a1c7d8e9f00112233445566778899aabbc
                 */
                device_id: components["schemas"]["DeviceId"];
            };
            header?: {
                /**
                 * @description 32 random bytes as hex, new for each fetch, and secret.
                 * @example 2b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfe
                 */
                "X-Claim-Id"?: components["schemas"]["ClaimId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A key package; no other device gets it, unless it is the last-resort one. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FetchKeyPackageResponse"];
                };
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            404: components["responses"]["DeviceNotFoundOrNoKeyPackagesWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    claimKeyPackages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClaimKeyPackagesRequest"];
            };
        };
        responses: {
            /** @description A package, or a reason, for each address. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimedKeyPackages"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddressWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    getKeyPackageStatus: {
        parameters: {
            query?: {
                /**
                 * @description An active address of the calling device.
                 * @example 2f1c6f1e-9a53-4c0e-8d0b-6d1f0c7a3b52@relay.example
                 */
                address?: components["schemas"]["Address"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The numbers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyPackageStatus"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidAddress"];
            401: components["responses"]["InvalidToken"];
            404: components["responses"]["AddressNotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    createProvisioning: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateProvisioningRequest"];
            };
        };
        responses: {
            /** @description The address is open. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateProvisioningResponse"];
                };
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    createLinkingCode: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `poll_token` that came with the address.
                 * @example 9b1f0c77a3de45b28c6f1e0d5a4b39c8e7f60112233445566778899aabbccdde
                 */
                "X-Poll-Token": components["schemas"]["PollToken"];
            };
            path: {
                /**
                 * @description The provisioning address, or its part before the `@`.
                 * @example 7d444840-9dc0-41d1-b245-5ffdce74fad2
                 */
                id: components["schemas"]["ProvisioningId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateLinkingCodeRequest"];
            };
        };
        responses: {
            /** @description The code. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateLinkingCodeResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["MessageTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    getLinkingCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The code, in capital letters and without a hyphen.
                 * @example K7QM2XWD
                 */
                code: components["schemas"]["LinkingCode"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text of the QR code. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetLinkingCodeResponse"];
                };
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            404: components["responses"]["NotFoundWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    pollProvisioningBlob: {
        parameters: {
            query?: {
                /**
                 * @description Seconds to wait for the blob; 0 by default.
                 * @example 60
                 */
                wait?: number;
            };
            header: {
                /**
                 * @description The `poll_token` that came with the address.
                 * @example 9b1f0c77a3de45b28c6f1e0d5a4b39c8e7f60112233445566778899aabbccdde
                 */
                "X-Poll-Token": components["schemas"]["PollToken"];
                /**
                 * @description 16 random bytes as hex, the same in all polls of one client.
                 * @example 2b7e151628aed2a6abf7158809cf4f3c
                 */
                "X-Download-Id"?: string;
            };
            path: {
                /**
                 * @description The provisioning address, or its part before the `@`.
                 * @example 7d444840-9dc0-41d1-b245-5ffdce74fad2
                 */
                id: components["schemas"]["ProvisioningId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The blob. It is returned only once, or to the same download again. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PollProvisioningBlobResponse"];
                };
            };
            /** @description Nothing has been left yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PollProvisioningBlobResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    putProvisioningBlob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The provisioning address, or its part before the `@`.
                 * @example 7d444840-9dc0-41d1-b245-5ffdce74fad2
                 */
                id: components["schemas"]["ProvisioningId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutProvisioningBlobRequest"];
            };
        };
        responses: {
            /** @description The blob waits for the new device. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PutProvisioningBlobResponse"];
                };
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            404: components["responses"]["NotFoundWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            409: components["responses"]["ConflictWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    postProvisioningBlob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The provisioning address, or its part before the `@`.
                 * @example 7d444840-9dc0-41d1-b245-5ffdce74fad2
                 */
                id: components["schemas"]["ProvisioningId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutProvisioningBlobRequest"];
            };
        };
        responses: {
            /** @description The blob waits for the new device. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PutProvisioningBlobResponse"];
                };
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            404: components["responses"]["NotFoundWithLimits"];
            408: components["responses"]["RequestTimeoutWithLimits"];
            409: components["responses"]["ConflictWithLimits"];
            413: components["responses"]["MessageTooLargeWithLimits"];
            415: components["responses"]["UnsupportedMediaTypeWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    getMetrics: {
        parameters: {
            query?: {
                /** @description How far back latencies and sizes go. */
                period?: "1h" | "24h" | "7d" | "30d";
            };
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Metrics"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            403: components["responses"]["InsufficientPermissionsWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    getMetricsTimeseries: {
        parameters: {
            query: {
                /** @description The metric. */
                metric: components["schemas"]["SeriesMetric"];
                /** @description How far back the points go. */
                period?: "1h" | "24h" | "7d" | "30d";
                /** @description The time that one point stands for. */
                interval?: "5m" | "1h" | "1d";
            };
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The points, oldest first. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetricsTimeseries"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            403: components["responses"]["InsufficientPermissionsWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    exportMetrics: {
        parameters: {
            query?: {
                /** @description The form of the answer. */
                format?: "prometheus" | "json" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/json": components["schemas"]["MetricsExport"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            403: components["responses"]["InsufficientPermissionsWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /** @description The earliest time, in Unix seconds. Without it, 24 hours ago. */
                since?: number;
                /** @description The latest time, in Unix seconds. Without it, now. */
                until?: number;
                /** @description Only entries of this action. An action that the server never records is refused. */
                action?: components["schemas"]["AuditAction"];
                /** @description Only actions of this administrator, by device id or public key. */
                admin?: components["schemas"]["DeviceId"];
                /** @description Only actions of administrators whose device ids begin with these hex digits. */
                admin_prefix?: string;
                /** @description Only actions on this device, server or part of the configuration. */
                target?: string;
                /** @description Only actions whose target begins like this. */
                target_prefix?: string;
                /** @description The most entries in the answer. */
                limit?: number;
                /** @description How many of the youngest entries to skip. */
                offset?: number;
            };
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            403: components["responses"]["InsufficientPermissionsWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    exportAuditEntries: {
        parameters: {
            query?: {
                /** @description The earliest time, in Unix seconds. Without it, 24 hours ago. */
                since?: number;
                /** @description The latest time, in Unix seconds. Without it, now. */
                until?: number;
                /** @description Only entries of this action. An action that the server never records is refused. */
                action?: components["schemas"]["AuditAction"];
                /** @description Only actions of this administrator, by device id or public key. */
                admin?: components["schemas"]["DeviceId"];
                /** @description Only actions of administrators whose device ids begin with these hex digits. */
                admin_prefix?: string;
                /** @description Only actions on this device, server or part of the configuration. */
                target?: string;
                /** @description Only actions whose target begins like this. */
                target_prefix?: string;
                /** @description The form of the answer. */
                format?: "csv" | "json";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries. */
            200: {
                headers: {
                    /**
                     * @description A name for the file.
                     * @example attachment; filename="audit-1767139200-1767225600.csv"
                     */
                    "Content-Disposition": string;
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/json": components["schemas"]["AuditExport"];
                };
            };
            400: components["responses"]["InvalidRequestWithLimits"];
            401: components["responses"]["InvalidTokenWithLimits"];
            403: components["responses"]["InsufficientPermissionsWithLimits"];
            429: components["responses"]["RateLimitExceededWithLimits"];
            500: components["responses"]["InternalWithLimits"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableWithLimits"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of every component. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    listAlerts: {
        parameters: {
            query?: never;
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The alerts. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertsResponse"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    removeBlob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The blob's id.
                 * @example 8c1f0a4b52d7e96388f1d0c4b7a2e5936d8c1b0f4a7e2d5980b3c6f1a4d7e0b3
                 */
                blob_id: components["schemas"]["BlobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The blob is deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedBlob"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailableOrBlobsDisabled"];
        };
    };
    listBackups: {
        parameters: {
            query?: never;
            header?: {
                /** @description The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The backups. */
            200: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupList"];
                };
            };
            /** @description The answer is what the caller has, by the entity tag that it sent. */
            304: {
                headers: {
                    /**
                     * @description Identifies this content of the answer (RFC 9110, section 8.8.3).
                     * @example "kK6pW3tq0nZ1bS8mYx2vTg"
                     */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
    startBackup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The backup is requested. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestedBackup"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidToken"];
            403: components["responses"]["InsufficientPermissions"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["Internal"];
            503: components["responses"]["OverloadedOrDatabaseUnavailable"];
        };
    };
}
