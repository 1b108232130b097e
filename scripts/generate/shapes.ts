import type { Contract, PlacedOperation, ResponseObject, Schema } from "./contract.js";
import { operationsOf, successStatuses } from "./contract.js";
import { writeGenerated } from "./output.js";

type Schemas = Record<string, Schema>;

/**
 * The code of the shape that a value must have: `"s"` for a string, `"n"` for a number, `"b"` for a boolean, `"x"` for
 * anything; an object with its members; an array with the shape of its items. Optional members have a question mark, and
 * are named only if `optional` is set.
 */
export function shapeOf(schema: Schema, schemas: Schemas, { depth = 9, optional = false } = {}): string {
  const reference = schema["$ref"];
  const deeper = { depth: depth - 1, optional };
  if (typeof reference === "string") {
    return shapeOf(schemas[reference.split("/").at(-1) ?? ""] ?? {}, schemas, { depth, optional });
  }
  if (schema.type === "array") {
    return `[${depth === 0 ? '"x"' : shapeOf((schema["items"] ?? {}) as Schema, schemas, deeper)}]`;
  }
  if (schema.type === "object") {
    const required = (schema["required"] ?? []) as string[];
    const members = Object.entries(depth === 0 ? {} : (schema.properties ?? {})).flatMap(([name, value]) => {
      if (required.includes(name)) return [`${name}: ${shapeOf(value, schemas, deeper)}`];
      return optional ? [`"${name}?": ${shapeOf(value, schemas, deeper)}`] : [];
    });
    return `{ ${members.join(", ")} }`;
  }
  const letters: Record<string, string> = { string: '"s"', integer: '"n"', number: '"n"', boolean: '"b"' };
  return (typeof schema.type === "string" && letters[schema.type]) || '"x"';
}

/** Writes what a client checks of a success answer before it believes that it comes from a relay. */
export async function writeShapes(contract: Contract, root: URL): Promise<void> {
  const placed = operationsOf(contract);
  const forAll = placed.filter(({ path }) => !/^\/(admin|federation)\//.test(path));
  await writeGenerated(root, "answer-shapes.ts", `${HEAD}${recordOf(forAll, contract, 9)}`);
  // These answers are many and large: only a client for administrators has them, and checks their outermost members alone.
  const forAdmins = placed.filter(({ path }) => path.startsWith("/admin/"));
  await writeGenerated(root, "admin-answer-shapes.ts", `${ADMIN_HEAD}${recordOf(forAdmins, contract, 1)}`);
}

function recordOf(placed: readonly PlacedOperation[], contract: Contract, depth: number): string {
  const lines = placed.map(({ operation }) => {
    // A redirection is for browsers that follow a link.
    const statuses = successStatuses(operation).filter((status) => status < 300);
    const answers = statuses.map((status) => {
      const { content = {} } = operation.responses[String(status)] as ResponseObject;
      const media = Object.keys(content);
      if (media.join() !== "application/json") return `${status}: ${JSON.stringify(media.join(" "))}`;
      const schema = content["application/json"]?.schema as Schema;
      return `${status}: ${shapeOf(schema, contract.components.schemas, { depth })}`;
    });
    return `  ${operation.operationId}: { ${answers.join(", ")} },`;
  });
  return `${lines.join("\n")}\n} as const satisfies Record<string, Answers>;\n`;
}

const HEAD = `export type Shape = 's' | 'n' | 'b' | 'x' | readonly [Shape] | { readonly [member: string]: Shape };

/** By the status of success: the shape of the body, or its media types if it is not JSON alone. */
export type Answers = Readonly<Record<number, Shape | string>>;

/**
 * The answers of success of each operation, without those for administrators and other relays. 's': a string, 'n': a number,
 * 'b': a boolean, 'x': anything; an array has the shape of its items. Further members may be there.
 */
export const answerShapes = {
`;

const ADMIN_HEAD = `import type { Answers } from "./answer-shapes.js";

/** The answers of success of the operations for administrators. */
export const adminAnswerShapes = {
`;
