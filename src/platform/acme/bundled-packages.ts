// Built into the relay like src/http/bundled-packages.ts: it brings twenty packages, of which the relay uses a part.
export { Client, crypto } from "acme-client";
