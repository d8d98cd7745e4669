/** A client of the server's API that throws for what it did not expect. */
export function createApi(port: number, key: string) {
  async function send(method: string, path: string, body?: unknown): Promise<{ status: number; data: unknown }> {
    const response = await fetch(`http://127.0.0.1:${port}/api/v2${path}`, {
      method,
      headers: { "x-api-key": key, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const json = (await response.json()) as { data?: unknown };
    return { status: response.status, data: json.data };
  }
  async function wanted<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, data } = await send(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}`);
    return data as T;
  }
  return {
    send,
    get: <T>(path: string) => wanted<T>("GET", path),
    post: <T>(path: string, body: unknown) => wanted<T>("POST", path, body),
  };
}
