import { afterAll, expect } from "vitest";
import { tsMls } from "../../src/groups/index.js";
import { chooseLibraries } from "../groups/people.js";
import { startOpenMls } from "./adapter.js";

// Of the people in the tests of the groups, half use ts-mls and half OpenMLS: others in each test, and the reverse with `OPENMLS_TURN=1`.

const openMls = startOpenMls();
const [mine, turn] = [tsMls(), Number(process.env["OPENMLS_TURN"] ?? 0)];

chooseLibraries((name) => {
  const { currentTestName = "" } = expect.getState();
  return (name.charCodeAt(0) + currentTestName.length + turn) % 2 === 0 ? mine : openMls.mls;
});
afterAll(() => openMls.stop());
