import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { compareAsyncApi } from "../../scripts/compatibility/asyncapi.js";
import { compareOpenApi } from "../../scripts/compatibility/openapi.js";

/** A document, or a part of it, that a test changes. */
// biome-ignore lint/suspicious/noExplicitAny: a change reaches into the document as a person with an editor would
type Draft = any;

const read = async (name: string): Promise<Draft> =>
  JSON.parse(await readFile(new URL(`../../generated/${name}`, import.meta.url), "utf8"));
const openapi = await read("openapi.json");
const asyncapi = await read("asyncapi.json");

function breakingChangesAfter(change: (document: Draft) => void): string[] {
  const changed = structuredClone(openapi);
  change(changed);
  return compareOpenApi(openapi, changed).map(({ subject, what }) => `${subject}: ${what}`);
}

function streamBreakingChangesAfter(change: (document: Draft) => void): string[] {
  const changed = structuredClone(asyncapi);
  change(changed);
  return compareAsyncApi(asyncapi, changed).map(({ subject, what }) => `${subject}: ${what}`);
}

const send = (document: Draft) => document.paths["/v1/messages"].post;
const poll = (document: Draft) => document.paths["/v1/messages"].get;
const schema = (document: Draft, name: string) => document.components.schemas[name];

const blob = (document: Draft, status: string) =>
  document.paths["/api/v1/provisioning/{id}"].get.responses[status].content["application/json"];

/** Gives the key of a request another pattern, made of the present one without its ends. */
function addForm(document: Draft, patternOf: (present: string) => string): void {
  const { PublicKey, RegistrationChallengeRequest } = document.components.schemas;
  const pattern = patternOf(PublicKey.pattern.slice(1, -1));
  RegistrationChallengeRequest.properties.public_key = { ...PublicKey, pattern };
}

function drop(list: string[], name: string): void {
  list.splice(list.indexOf(name), 1);
}

test("a contract does not break itself", () => {
  expect(compareOpenApi(openapi, openapi)).toEqual([]);
  expect(compareAsyncApi(asyncapi, asyncapi)).toEqual([]);
});

test("what is published keeps the promises of the closed contract", async () => {
  expect(compareOpenApi(await read("contract.json"), openapi)).toEqual([]);
});

const breaking: [string, string, (document: Draft) => void][] = [
  ["an operation is removed", "sendMessage", (d) => delete d.paths["/v1/messages"].post],
  [
    "a path is renamed",
    "sendMessageBatch",
    (d) => {
      d.paths["/v1/messages/bulk"] = d.paths["/v1/messages/batch"];
      delete d.paths["/v1/messages/batch"];
    },
  ],
  ["an operation is renamed", "sendMessage", (d) => (send(d).operationId = "postMessage")],
  [
    "an operation asks for a token",
    "getDiscovery",
    (d) => (d.paths["/.well-known/svc"].get.security = [{ deviceToken: [] }]),
  ],
  ["an operation asks for another token", "sendMessage", (d) => (send(d).security = [{ adminToken: [] }])],
  [
    "an operation asks for two tokens",
    "sendMessage",
    (d) => (send(d).security = [{ deviceToken: [], adminToken: [] }]),
  ],
  ["a scheme of tokens changes", "sendMessage", (d) => (d.components.securitySchemes.deviceToken.scheme = "basic")],
  ["a parameter is removed", "pollMessages", (d) => poll(d).parameters.pop()],
  ["a parameter becomes mandatory", "pollMessages", (d) => (poll(d).parameters[1].required = true)],
  [
    "a mandatory parameter is added",
    "pollMessages",
    (d) => poll(d).parameters.push({ name: "page", in: "query", required: true, schema: { type: "integer" } }),
  ],
  ["a parameter moves into a header", "pollMessages", (d) => (poll(d).parameters[1].in = "header")],
  ["a parameter's bound is tightened", "pollMessages", (d) => (poll(d).parameters[1].schema.maximum = 500)],
  [
    "a mandatory member is added to a request",
    "sendMessage",
    (d) => schema(d, "SendMessageRequest").required.push("system_event"),
  ],
  [
    "a member of a request is removed",
    "sendMessage",
    (d) => delete schema(d, "SendMessageRequest").properties.system_event,
  ],
  [
    "a member of a request changes its type",
    "sendMessage",
    (d) => (schema(d, "SystemEventInput").properties.event = { type: "integer" }),
  ],
  [
    "a member of a request can no longer be null",
    "sendMessage",
    (d) => (schema(d, "SystemEventInput").properties.extension_type.type = "string"),
  ],
  ["a value of a request is removed", "sendMessage", (d) => schema(d, "SystemEventName").enum.pop()],
  [
    "a text of a request may no longer be so long",
    "sendMessage",
    (d) => (schema(d, "SystemEventInput").properties.extension_type.maxLength = 32),
  ],
  [
    "a text of a request gets another pattern",
    "acknowledgeMessage",
    (d) => (schema(d, "MessageId").pattern = "^[0-9]+$"),
  ],
  [
    "a text of a request gets another pattern that begins with the same alternative",
    "createRegistrationChallenge",
    (d) => addForm(d, (one) => `^(${one}|x)y(z)$`),
  ],
  [
    "a list of a request may no longer be so long",
    "acknowledgeMessages",
    (d) => (schema(d, "AcknowledgeMessagesRequest").properties.message_ids.maxItems = 10),
  ],
  [
    "a list of a request takes other items",
    "acknowledgeMessages",
    (d) => (schema(d, "AcknowledgeMessagesRequest").properties.message_ids.items = { type: "integer" }),
  ],
  [
    "an open request is closed",
    "deliverTransaction",
    (d) => (schema(d, "DeliverTransactionRequest").additionalProperties = false),
  ],
  [
    "a request wants another media type",
    "sendMessage",
    (d) => (send(d).requestBody.content = { "application/cbor": {} }),
  ],
  [
    "a request wants a body where it wanted none",
    "refreshDeviceToken",
    (d) => (d.paths["/v1/auth/refresh"].post.requestBody = { required: true, content: {} }),
  ],
  [
    "a member of an answer is removed",
    "sendMessage",
    (d) => delete schema(d, "SendMessageResponse").properties.delivery_estimate,
  ],
  [
    "a member of an answer may be missing",
    "sendMessage",
    (d) => drop(schema(d, "SendMessageResponse").required, "status"),
  ],
  [
    "a member of an answer changes its type",
    "pollMessages",
    (d) => (schema(d, "PollMessagesResponse").properties.has_more.type = "string"),
  ],
  [
    "a member of an answer may be null",
    "pollMessages",
    (d) => (schema(d, "PollMessagesResponse").properties.has_more.type = ["boolean", "null"]),
  ],
  ["a value is added to an answer", "sendMessage", (d) => schema(d, "DeliveryEstimate").enum.push("never")],
  [
    "a number of an answer may be larger",
    "pollMessages",
    (d) => (schema(d, "PollMessagesResponse").properties.next_poll_interval.maximum = 1e9),
  ],
  [
    "a success gets another status",
    "sendMessage",
    (d) => {
      send(d).responses["200"] = send(d).responses["202"];
      delete send(d).responses["202"];
    },
  ],
  [
    "an operation may answer with a further success",
    "sendMessage",
    (d) => (send(d).responses["200"] = send(d).responses["202"]),
  ],
  [
    "an answer comes in another media type",
    "sendMessage",
    (d) => (send(d).responses["202"].content = { "text/plain": {} }),
  ],
  [
    "an answer loses a header",
    "announceWithProof",
    (d) => delete d.paths["/api/v1/announce"].post.responses["200"].headers["Cache-Control"],
  ],
  [
    "an error gets another code",
    "ADDRESS_NOT_FOUND",
    (d) => {
      for (const { content } of Object.values<Draft>(d.components.responses)) {
        const example = content?.["application/json"]?.examples?.ADDRESS_NOT_FOUND;
        if (example !== undefined) example.value.code = 4099;
      }
    },
  ],
  ["errors lose their code", "Error", (d) => drop(schema(d, "ErrorBody").required, "code")],
  [
    "one of two successes no longer has what it promised",
    "pollProvisioningBlob",
    (d) => delete blob(d, "200")["x-narrower"],
  ],
  [
    "a boolean of a request takes one value only",
    "uploadKeyPackages",
    (d) => (schema(d, "UploadKeyPackagesRequest").properties.replace.enum = [true]),
  ],
  [
    "a request is bounded by a format",
    "sendMessage",
    (d) =>
      (schema(d, "SendMessageRequest").properties.sender_signature = {
        ...schema(d, "SenderSignature"),
        format: "uuid",
      }),
  ],
];

test.each(breaking)("it breaks the contract where %s", (_, subject, change) => {
  const found = breakingChangesAfter(change);
  expect(found.filter((line) => line.startsWith(`${subject}: `))).not.toEqual([]);
});

const harmless: [string, (document: Draft) => void][] = [
  ["an operation is added", (d) => (d.paths["/v2/messages"] = { get: { ...poll(d), operationId: "pollAll" } })],
  [
    "an optional parameter is added",
    (d) => poll(d).parameters.push({ name: "page", in: "query", schema: { type: "integer" } }),
  ],
  ["a parameter's bound is widened", (d) => (poll(d).parameters[1].schema.maximum = 5000)],
  [
    "an optional member is added to a request",
    (d) => (schema(d, "SendMessageRequest").properties.colour = { type: "string" }),
  ],
  ["a text of a request may have another form too", (d) => addForm(d, (one) => `^(${one}|[0-9]{4}(-[0-9]{4})+)$`)],
  ["a member of a request becomes optional", (d) => drop(schema(d, "SendMessageRequest").required, "timestamp")],
  ["a value is added to a request", (d) => schema(d, "RegistrationSettingsChange").properties.mode.enum.push("boring")],
  ["a member is added to an answer", (d) => (schema(d, "SendMessageResponse").properties.colour = { type: "string" })],
  [
    "a number of an answer is bounded tighter",
    (d) => (schema(d, "PollMessagesResponse").properties.next_poll_interval.maximum = 90),
  ],
  ["an operation may be called without a token", (d) => (send(d).security = [{ deviceToken: [] }, {}])],
  [
    "an operation answers with a further error",
    (d) => (send(d).responses["409"] = d.components.responses.Conflict && { $ref: "#/components/responses/Conflict" }),
  ],
  ["an answer gets a header", (d) => (send(d).responses["202"].headers["X-Colour"] = { schema: { type: "string" } })],
  [
    "the names and codes of errors are listed, or no longer",
    (d) => {
      schema(d, "ErrorName").enum = ["TEAPOT"];
      schema(d, "ErrorCode").enum = [4018];
    },
  ],
  [
    "a boolean of an answer that was always true may be false",
    (d) => (schema(d, "InfoPackageRevoked").properties.revoked = { type: "boolean" }),
  ],
  [
    "a format tells which type to use",
    (d) => (schema(d, "SendMessageRequest").properties.mls_ciphertext = { ...schema(d, "Base64Text"), format: "byte" }),
  ],
  [
    "two successes get one schema that promises what each did",
    (d) => {
      d.components.schemas.Both = { ...schema(d, "PollProvisioningBlobResponse"), required: [] };
      for (const [status, member] of [
        ["200", "ciphertext"],
        ["202", "expires_at"],
      ] as const) {
        blob(d, status).schema = { $ref: "#/components/schemas/Both" };
        blob(d, status)["x-narrower"].required = ["status", member];
      }
    },
  ],
  ["words change", (d) => (schema(d, "SendMessageRequest").description = send(d).summary = "Otherwise.")],
];

test.each(harmless)("it does not break the contract where %s", (_, change) => {
  expect(breakingChangesAfter(change)).toEqual([]);
});

const frame = (document: Draft, name: string) => document.components.schemas[name];

test.each<[string, string, (document: Draft) => void]>([
  ["the stream moves", "stream", (d) => (d.channels.stream.address = "/v2/stream")],
  ["a close code changes", "stream", (d) => (d.channels.stream["x-close-codes"].replaced.code = 4010)],
  ["a close code goes", "stream", (d) => delete d.channels.stream["x-close-codes"].tooSlow],
  ["a frame of the client goes", "ack_batch", (d) => d.operations.receiveClientFrame.messages.splice(2, 1)],
  ["a frame of the server goes", "system", (d) => d.operations.sendServerFrame.messages.splice(2, 1)],
  [
    "a frame of the client needs more",
    "ack",
    (d) => {
      frame(d, "AckFrame").properties.colour = { type: "string" };
      frame(d, "AckFrame").required.push("colour");
    },
  ],
  [
    "a frame of the client takes fewer items",
    "ack_batch",
    (d) => (frame(d, "AckBatchFrame").properties.message_ids.maxItems = 100),
  ],
  ["a frame of the server says less", "message", (d) => delete frame(d, "MessageData").properties.received_at],
  ["a frame of the server has a new state", "status", (d) => frame(d, "StreamStatus").enum.push("sleeping")],
  ["a frame gets another type", "ping", (d) => (frame(d, "PingFrameType").enum = ["heartbeat"])],
])("it breaks the stream's contract where %s", (_, subject, change) => {
  expect(streamBreakingChangesAfter(change).filter((line) => line.startsWith(`${subject}: `))).not.toEqual([]);
});

test.each<[string, (document: Draft) => void]>([
  [
    "a frame of the server is added",
    (d) => d.operations.sendServerFrame.messages.push({ $ref: "#/channels/stream/messages/ack" }),
  ],
  ["a frame of the server says more", (d) => (frame(d, "MessageData").properties.colour = { type: "string" })],
  ["a frame of the client takes more", (d) => (frame(d, "AckFrame").properties.colour = { type: "string" })],
  ["a close code is added", (d) => (d.channels.stream["x-close-codes"].bored = { code: 4050 })],
])("it does not break the stream's contract where %s", (_, change) => {
  expect(streamBreakingChangesAfter(change)).toEqual([]);
});
