import fc from "fast-check";
import { expect, test } from "vitest";
import { parseLongJson } from "../../src/http/body/long-json.js";
import { serveFixture, withJson } from "./fixture-server.js";

const bounds = { jsonMaxDepth: 100, jsonMaxValues: 1_000_000 };
const mebibyte = 1024 * 1024;

/** The value, or undefined where the text is refused. */
function parsed(text: string): Promise<unknown> {
  return parseLongJson(Buffer.from(text), bounds).catch((error: Error) => {
    expect(error).toMatchObject({ id: "INVALID_REQUEST" });
    return undefined;
  });
}

function parsedAtOnce(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Also names that occur twice, and the one that JavaScript treats apart. */
const names = fc.oneof(fc.constantFrom("a", "__proto__", "constructor", ""), fc.string());
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom("null", "true", "0", "-0", "1e5", "-1.5E+3", "12345678901234567890"),
    fc.string({ unit: "grapheme" }).map((text) => JSON.stringify(text)),
    fc.constantFrom('"\\u00e9\\/\\b"', '"\\ud83d\\ude00"', '"\\\\"', '"\\\\\\""'),
    fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(" ,\n")}]`),
    fc
      .array(fc.tuple(names, tie("value")), { maxLength: 4 })
      .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}\t: ${value}`).join(",")} }`),
  ),
})).value as fc.Arbitrary<string>;

test("a long text is parsed as JSON.parse does it", async () => {
  await fc.assert(
    fc.asyncProperty(json, async (text) => {
      expect(await parsed(text)).toEqual(JSON.parse(text));
    }),
    { numRuns: 500 },
  );
});

test("what JSON.parse refuses is refused in a long text, and nothing else", async () => {
  const piece = fc.constantFrom(
    ...'{}[],:"\\ \n\t\v\u00a0\u0001',
    "1",
    "-",
    ".",
    "e",
    "tru",
    "e",
    "null",
    "\\u12",
    "//",
  );
  const broken = fc
    .tuple(json, fc.nat(), fc.nat({ max: 3 }), piece)
    .map(([text, at, gone, put]) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + put + text.slice(from + gone);
    })
    .filter((text) => Buffer.from(text).toString() === text && !/\\u(?:0000|d[89a-f])/i.test(text));
  await fc.assert(
    fc.asyncProperty(broken, async (text) => {
      expect(await parsed(text)).toEqual(parsedAtOnce(text));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  "A",
  "\\n",
  "é",
  "€",
  "😀",
  "\\u00e9",
  "\\ud83d\\ude00",
  "\\\\",
  '\\"',
  "\\\\\\u0041",
])("a string of many %s keeps each of them, wherever it is divided", async (unit) => {
  const count = Math.ceil((2 * mebibyte) / Buffer.byteLength(unit));
  for (let before = 0; before < Math.max(3, unit.length); before++) {
    const text = `["${"x".repeat(before)}${unit.repeat(count)}"]`;
    const [value] = (await parsed(text)) as [string];
    expect(value === (JSON.parse(text) as [string])[0]).toBe(true);
  }
});

test("the bounds of depth and number hold in a long text as in any other", async () => {
  const answers = async (longBodyBytes: number): Promise<unknown[]> => {
    const served = await serveFixture({ config: { longBodyBytes, jsonMaxDepth: 5, jsonMaxValues: 8 } });
    const bodies = [
      '{"a":[[[[1]]]]}',
      '{"a":[[[[[1]]]]]}',
      '{"a":[1,2,3,4,5,6]}',
      '{"a":[1,2,3,4,5,6,7,8]}',
      '{"a":"\\u0000"}',
      '{"a":"\\ud800"}',
      '{"\\ud800":1}',
      "[1]",
      '{"a":1}}',
      "\ufeff{}",
    ];
    const sent = [];
    for (const body of bodies) {
      const { status, body: answer } = await served.send("/things/special", withJson("PUT", body));
      sent.push({ status, ...answer, request_id: null });
    }
    return sent;
  };
  expect(await answers(1)).toEqual(await answers(100_000));
});

test("other work goes on while a long text is parsed", async () => {
  const item = JSON.stringify("x".repeat(1000));
  const text = Buffer.from(`[${`${item},`.repeat(50_000)}1]`);
  let rounds = 0;
  const count = (): void => {
    rounds++;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  await parseLongJson(text, bounds);
  clearImmediate(immediate);
  expect(rounds).toBeGreaterThan(0);
});
