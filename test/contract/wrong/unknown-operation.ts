import type { Handler } from "../../../generated/handlers.js";

export type Weather = Handler<"getWeather">;
