import { beforeAll, describe, expect, it } from "vitest";
import { loadParser } from "../../scripts/statements/parse.js";
import { checkStatement } from "../../scripts/statements/rules.js";

beforeAll(() => loadParser());

describe("a statement over distributed tables keeps the rules where it", () => {
  it.each([
    [
      "compares the distribution column with a value",
      "select 1 from devices where device_id = $1 and blocked_at is null",
    ],
    ["compares it with an array", "delete from messages where device_id = any($1::text[])"],
    [
      "joins it with rows that it brings along",
      "update queues as m set last_position = d.last from unnest($1::text[], $2::bigint[]) as d (id, last) where m.device_id = d.id",
    ],
    [
      "joins tables of one group",
      "select 1 from messages as m join queues as b on b.device_id = m.device_id where m.device_id = $1",
    ],
    ["locks a row of one shard", "select 1 from devices where device_id = $1 for update"],
    ["says that it reads every shard", "-- every shard\nselect count(*) from devices"],
    ["uses other tables alone", "select 1 from settings for update"],
  ])("%s", (_, text) => {
    expect(checkStatement(text)).toEqual([]);
  });
});

describe("a statement over distributed tables breaks a rule where it", () => {
  it.each([
    ["reaches a table by another column", "select 1 from devices where last_active < $1", /not reached by device_id/],
    ["may leave the comparison out", "select 1 from devices where device_id = $1 or $2", /not reached by device_id/],
    [
      "locks rows of several devices",
      "select * from devices where device_id = any($1::text[]) order by device_id for update",
      /locked in several shards/,
    ],
    [
      "locks several shards although it says that it reads every shard",
      "-- every shard\nselect 1 from devices limit 1 for update",
      /locked in several shards/,
    ],
    [
      "locks them in a query inside another",
      "delete from devices where device_id in (select device_id from devices where device_id = any($1) for update)",
      /locked in several shards/,
    ],
    [
      "joins tables of two groups",
      "select 1 from addresses as a join devices as d on d.device_id = a.device_id where a.prefix = $1",
      /may lie on different machines/,
    ],
    [
      "joins tables by other columns",
      "select 1 from messages as m, queues as b where m.device_id = any($1) and b.device_id = any($1) and m.position = b.last_position",
      /not joined by their distribution columns/,
    ],
    [
      "inserts without a value for the column",
      "insert into message_keys_with_expiry (expires_on) values (1)",
      /gives key no value/,
    ],
    ["takes a value of a sequence", "select nextval('positions')", /sequence/],
    ["forces generic plans", "set jit = off; set plan_cache_mode = force_generic_plan", /generic plans/],
  ])("%s", (_, text, problem) => {
    expect(checkStatement(text)).toEqual(expect.arrayContaining([expect.stringMatching(problem)]));
  });
});
