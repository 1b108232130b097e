import { afterAll, describe } from "vitest";
import { tsMls } from "../../src/groups/index.js";
import { testLibraries } from "../groups/library.js";
import { startOpenMls } from "./adapter.js";

const [ts, open] = [tsMls(), startOpenMls()];
afterAll(() => open.stop());

describe("OpenMLS", () => testLibraries(() => open.mls));
describe("a group founded by ts-mls, with OpenMLS", () => testLibraries((at) => (at % 2 === 0 ? ts : open.mls)));
describe("a group founded by OpenMLS, with ts-mls", () => testLibraries((at) => (at % 2 === 0 ? open.mls : ts)));
