// Asks the relay on this machine whether it is alive; for the container's HEALTHCHECK. The certificate is for the public name,
// not for this address, so it is not checked.
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

const { PORT = "8080", TLS_CERT_FILE = "", ACME_DIRECTORY = "" } = process.env;
const request = TLS_CERT_FILE === "" && ACME_DIRECTORY === "" ? requestHttp : requestHttps;
const options = { host: "127.0.0.1", port: PORT, path: "/healthz", rejectUnauthorized: false, timeout: 4_000 };

process.exitCode = 1;
request(options, (answer) => {
  process.exitCode = answer.statusCode === 200 ? 0 : 1;
  answer.resume();
})
  .on("timeout", function () {
    this.destroy();
  })
  .on("error", () => {})
  .end();
