import { render } from "preact";
import "./style.css";
import { App } from "./app.js";
import { language, t } from "./texts.js";

document.documentElement.lang = language;
document.title = t.app;
// In a browser without service workers, and on a page without HTTPS, the messenger needs the network to start.
void navigator.serviceWorker?.register("./service-worker.js").catch(() => undefined);
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
