import { pythonPrograms } from "./python.js";

// Makes the Python environment before it is needed, for an image that is to work without a network.
await pythonPrograms("test/fuzz/requirements.txt");
