// Packages whose code goes into the built relay (scripts/build/bundled-packages.ts), so an installation does not need
// them and the hundred packages that they depend on.

import express, { Router } from "express";

export { express, Router };
