import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { type Limit, limits } from "../src/limits/table.js";
import { daySeconds, hourSeconds, minuteSeconds } from "../src/protocol/units.js";

export const limitsSchema = "spec/schemas/limits.yaml";

/** Of a device alone, but in no answer: devices meet it on the stream only. */
const untold = ["stream_replacements"];
const units: Readonly<Record<string, number>> = { minute: minuteSeconds, hour: hourSeconds, day: daySeconds };

interface LimitsSchema {
  LimitState: {
    properties: {
      name: { description: string; pattern: string; maxLength: number };
      window_seconds: { maximum: number };
    };
  };
  DeviceLimits: { properties: { limits: { maxItems: number } } };
}

/** Checks that what the contract says of the limits of a device is what the table of limits has. */
export async function checkLimits(project: string, table: Readonly<Record<string, Limit>> = limits): Promise<string[]> {
  const schema = parse(await readFile(join(project, limitsSchema), "utf8")) as LimitsSchema;
  const { name, window_seconds: windowSeconds } = schema.LimitState.properties;
  const { maxItems } = schema.DeviceLimits.properties.limits;
  const named = [...name.description.matchAll(/`([a-z][a-z_]*)`/g)].map(([, one = ""]) => one);
  const ofDevices = Object.entries(table).filter(([one, { per }]) => isOfDevice(per) && !untold.includes(one));
  const form = new RegExp(name.pattern);
  return [
    ...named.filter((one) => !(one in table)).map((one) => `names ${one}, which is no limit`),
    ...ofDevices.flatMap(([one, limit]) => [
      ...(named.includes(one) ? [] : [`does not name ${one}`]),
      ...(form.test(one) && one.length <= name.maxLength ? [] : [`does not allow the name ${one}`]),
      ...(isLonger(limit, windowSeconds.maximum) ? [`does not allow the window of ${one}`] : []),
      ...(isCalledRight(one, limit) ? [] : [`calls ${one} what has another window`]),
    ]),
    ...(ofDevices.length > maxItems ? [`allows ${maxItems} limits, and a device has ${ofDevices.length}`] : []),
  ].map((problem) => `${limitsSchema} ${problem} (src/limits/table.ts)`);
}

function isOfDevice(per: string): boolean {
  return /^device(?:, or |$)/.test(per);
}

function isLonger({ window }: Limit, maximum: number): boolean {
  return typeof window === "number" && window > maximum;
}

/** Whether the unit at the end of a name is that of the window. */
function isCalledRight(name: string, { window }: Limit): boolean {
  const seconds = units[name.slice(name.lastIndexOf("_") + 1)];
  return seconds === undefined || seconds === window;
}
