import { render } from "preact";
import "./style.css";
import { App } from "./app.js";
import { language, t } from "./texts.js";

document.documentElement.lang = language;
document.title = t.app;
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
