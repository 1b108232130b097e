// Built into the relay like src/http/pages/bundled-packages.ts: it brings twenty packages, of which the relay uses a part.

import { Client, crypto } from "acme-client";

export { Client, crypto };
