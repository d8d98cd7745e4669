/** A frame of a stream of server-sent events; comments have `comment` alone. */
export type Frame = { id?: string; event?: string; data?: unknown; comment?: string };

/** Reads a live stream frame by frame. `await using` ends it. */
export async function openStream(url: string, key: string, headers: Record<string, string> = {}) {
  const abort = new AbortController();
  const response = await fetch(url, { headers: { "x-api-key": key, ...headers }, signal: abort.signal });
  if (response.status !== 200) throw new Error(`Expected a stream, got ${response.status}: ${await response.text()}`);
  const frames = framesOf(response.body!);

  /** The next event, past comments and settings; null at the end of the stream. */
  async function next(): Promise<Frame | null> {
    for (;;) {
      const { value, done } = await frames.next();
      if (done) return null;
      if (value.event !== undefined) return value;
    }
  }

  return {
    headers: response.headers,
    frames,
    next,
    /** The next events, so many. */
    async take(count: number): Promise<Frame[]> {
      const taken: Frame[] = [];
      while (taken.length < count) {
        const frame = await next();
        if (frame === null) throw new Error(`Expected ${count} events, the stream ended after ${taken.length}`);
        taken.push(frame);
      }
      return taken;
    },
    close: () => abort.abort(),
    [Symbol.asyncDispose]: async () => abort.abort(),
  };
}

async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame, void, void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      yield frameOf(text.slice(0, end));
      text = text.slice(end + 2);
    }
  }
}

function frameOf(text: string): Frame {
  const frame: Frame = {};
  for (const line of text.split("\n")) {
    const [, name = "", value = ""] = /^(\w*): ?(.*)$/.exec(line) ?? [];
    if (name === "") frame.comment = value;
    else if (name === "data") frame.data = JSON.parse(value);
    else if (name === "id" || name === "event") frame[name] = value;
  }
  return frame;
}
