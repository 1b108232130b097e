import { pythonPrograms } from "./python.js";

// Creates the Python environment in advance, for an image that must work without a network.
await pythonPrograms("test/fuzz/requirements.txt");
