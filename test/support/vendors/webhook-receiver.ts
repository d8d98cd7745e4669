import { Webhook } from "standardwebhooks";
import { startLoopback, type Loopback } from "./loopback.ts";

export const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** What a receiver got, once the signature was found to be right. */
export type Delivery = { id: string; timestamp: number; type: string; data: Record<string, unknown> };
type Answer = Response | ((delivery: Delivery) => Response);

export type WebhookReceiver = Loopback & {
  deliveries: Delivery[];
  /** How it answers from now on. */
  answerWith(answer: Answer): void;
};

/** A receiver of the user's that checks signatures by the rules of Standard Webhooks; it does everything at once. */
export async function startWebhookReceiver(secret: string = webhookSecret): Promise<WebhookReceiver> {
  const deliveries: Delivery[] = [];
  let answer: Answer = () => Response.json({ outcome: "completed", reference: "done-1" });
  const loopback = await startLoopback(({ headers, body }) => {
    const text = Buffer.from(body).toString("utf8");
    const [id = "", timestamp = ""] = ["webhook-id", "webhook-timestamp"].map((name) => headers.get(name) ?? "");
    // The tolerance of `verify` is that of the real time, and tests have a clock of their own.
    const signature = new Webhook(secret).sign(id, new Date(Number(timestamp) * 1000), text);
    if (headers.get("webhook-signature") !== signature) return new Response("Wrong signature", { status: 401 });
    const { type, data } = JSON.parse(text) as Pick<Delivery, "type" | "data">;
    const delivery = { id, timestamp: Number(timestamp), type, data };
    deliveries.push(delivery);
    return typeof answer === "function" ? answer(delivery) : answer.clone();
  });
  return Object.assign(loopback, {
    deliveries,
    answerWith: (next: Answer) => {
      answer = next;
    },
  });
}
