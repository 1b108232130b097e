// Built into the relay like bundled-packages.ts, in a file of its own: it is loaded when it is first needed.

import * as OpenApiValidator from "express-openapi-validator";

export { OpenApiValidator };
