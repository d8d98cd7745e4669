import { Webhook } from "standardwebhooks";
import { startLoopback, type Loopback } from "./vendors/loopback.ts";

export type ReceivedEvent = {
  id: string;
  /** How many signatures came with it. */
  signatures: number;
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
};

type Answer = (event: ReceivedEvent) => Response | Promise<Response>;

/** A receiver that verifies with the package of Standard Webhooks, as receivers do; 401 for what it can't verify. */
export async function startEventReceiver() {
  const received: ReceivedEvent[] = [];
  let secret = "";
  let answer: Answer = () => new Response("thanks");
  let tell = (): void => {};
  const loopback: Loopback = await startLoopback(async ({ headers, body }) => {
    const text = Buffer.from(body).toString("utf8");
    const sent = Object.fromEntries(headers);
    try {
      new Webhook(secret).verify(text, sent);
    } catch {
      return new Response("Wrong signature", { status: 401 });
    }
    const event = {
      ...(JSON.parse(text) as Omit<ReceivedEvent, "id" | "signatures">),
      id: sent["webhook-id"] ?? "",
      signatures: (sent["webhook-signature"] ?? "").split(" ").length,
    };
    received.push(event);
    tell();
    return answer(event);
  });
  return Object.assign(loopback, {
    received,
    /** What it verifies with from now on. */
    use: (next: string) => void (secret = next),
    answerWith: (next: Answer) => void (answer = next),
    /** Resolves when it has received an event that fits. */
    has: (fits: (event: ReceivedEvent) => boolean) =>
      new Promise<ReceivedEvent>((resolve) => {
        const look = (): void => {
          const event = received.find(fits);
          if (event !== undefined) resolve(event);
        };
        const tellOthers = tell;
        tell = () => {
          tellOthers();
          look();
        };
        look();
      }),
  });
}
