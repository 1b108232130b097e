// Built into the relay like bundled-packages.ts, but in a separate file, because it is loaded when it is first needed.

import * as OpenApiValidator from "express-openapi-validator";

export { OpenApiValidator };
