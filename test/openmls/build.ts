import { buildPrograms } from "./program.js";

export default buildPrograms;
