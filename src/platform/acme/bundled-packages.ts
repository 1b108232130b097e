// Bundled into the relay like src/http/pages/bundled-packages.ts: acme-client brings twenty packages, and the relay
// uses only some of them.

import { Client, crypto } from "acme-client";

export { Client, crypto };
