// Receives webhooks, and trusts only those that are signed.
import { createServer } from "node:http";
import { verifyWebhook, WebhookError } from "outreachd-client/webhooks";

const secret = process.env.WEBHOOK_SECRET ?? "";
if (!/^whsec_.+/.test(secret)) {
  console.error("Set WEBHOOK_SECRET to the secret of the webhook: whsec_…");
  process.exit(1);
}
/** A delivery that was not acknowledged is repeated with the same ID. A real receiver stores them. */
const seen = new Set();

async function receive(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = await verifyWebhook(Buffer.concat(chunks).toString("utf8"), request.headers, secret);
    const id = request.headers["webhook-id"];
    if (!seen.has(id)) console.log(event.type, JSON.stringify(event.data));
    seen.add(id);
    response.writeHead(204).end();
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    response.writeHead(401).end(error.message);
  }
}

const server = createServer((request, response) => void receive(request, response));
server.listen(Number(process.env.PORT ?? 9000), "127.0.0.1", () => console.log("listening"));
