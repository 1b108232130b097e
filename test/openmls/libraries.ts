import { afterAll, describe } from "vitest";
import { tsMls } from "../../src/groups/index.js";
import { judged } from "../../src/groups/mls/judged.js";
import { testLibraries } from "../groups/library.js";
import { startOpenMls } from "./adapter.js";

const [ts, program] = [tsMls(), startOpenMls()];
const openMls = judged(program.mls, tsMls());
afterAll(() => program.stop());

describe("OpenMLS", () => testLibraries(() => openMls));
describe("a group founded by ts-mls, with OpenMLS", () => testLibraries((at) => (at % 2 === 0 ? ts : openMls)));
describe("a group founded by OpenMLS, with ts-mls", () => testLibraries((at) => (at % 2 === 0 ? openMls : ts)));
