import { describe, expect, it } from "vitest";
import { checkProfile } from "../../scripts/check-contract.js";

const project = new URL("../../", import.meta.url);

describe("the contract", () => {
  it("keeps to its profile: names, bounds, closed objects, errors, examples", async () => {
    expect(await checkProfile(project)).toEqual([]);
  });
});
