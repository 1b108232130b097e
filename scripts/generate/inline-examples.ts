import { readdir, readFile } from "node:fs/promises";
import { parse } from "yaml";
import type { Contract, MediaType, Operation } from "./contract.js";
import { operationsOf } from "./contract.js";

const FILE_NAME = /^(?:request|response-(?<status>\d{3}))(?:\.(?<name>[a-z0-9-]+))?\.(?<form>yaml|json|txt|csv|html)$/;
const TEXT_TYPES: Readonly<Record<string, string>> = { txt: "text/plain", csv: "text/csv", html: "text/html" };

/**
 * Puts the bodies of `spec/examples/<operationId>/` into the contract as named examples. A file is called
 * `request.yaml` or `response-202.yaml`, or, with a name, `request.with-invite.yaml`; a text body is in
 * `response-200.txt`, `response-200.csv` or `response-406.html`, exactly as it is sent.
 */
export async function inlineExamples(contract: Contract, root: URL): Promise<void> {
  const folder = new URL("spec/examples/", root);
  const operations = new Map(operationsOf(contract).map(({ operation }) => [operation.operationId, operation]));
  for (const operationId of (await readdir(folder)).sort()) {
    const operation = operations.get(operationId);
    if (operation === undefined) throw new Error(`spec/examples/${operationId}: no such operation`);
    await inlineFolder(operation, new URL(`${operationId}/`, folder));
  }
}

async function inlineFolder(operation: Operation, folder: URL): Promise<void> {
  for (const file of (await readdir(folder)).sort(unnamedFirst)) {
    const groups = FILE_NAME.exec(file)?.groups;
    const textType = TEXT_TYPES[groups?.["form"] ?? ""];
    const media = groups === undefined ? undefined : mediaType(operation, groups["status"], textType);
    if (media === undefined)
      throw new Error(`spec/examples/${operation.operationId}/${file}: the operation has no such body`);
    const text = await readFile(new URL(file, folder), "utf8");
    const value: unknown = textType === undefined ? parse(text) : text;
    media.examples = { ...media.examples, [groups?.["name"] ?? "default"]: { value } };
  }
}

/** The example without a name comes first, because documentation pages show the first one. */
function unnamedFirst(a: string, b: string): number {
  const parts = (file: string) => file.split(".").length;
  return parts(a) - parts(b) || (a < b ? -1 : 1);
}

/** The body of the request, or of the response with that status: of the text type, if one is given, otherwise JSON. */
function mediaType(operation: Operation, status: string | undefined, textType?: string): MediaType | undefined {
  if (status === undefined) return operation.requestBody?.content["application/json"];
  const response = operation.responses[status];
  if (response === undefined || "$ref" in response) return undefined;
  if (textType !== undefined) return response.content?.[textType];
  return response.content?.["application/json"] ?? Object.values(response.content ?? {})[0];
}
