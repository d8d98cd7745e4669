/** What an issuer says about a person; null leaves a claim out. */
export type Claims = Record<string, unknown>;

/** How an issuer misbehaves with the next sign-in. */
export type Misconduct = {
  /** Signs with a key that it does not publish. */
  wrongKey?: boolean;
  /** Does not sign, or signs with the secret of the client. */
  algorithm?: "none" | "HS256";
  /** Claims of the ID token that replace the right ones. */
  claims?: Claims;
  /** Leaves the code exchange unanswered with this status. */
  tokenStatus?: number;
  /** Parameters that it adds to the redirect, or replaces. */
  redirect?: Record<string, string>;
};

export type Issuer = Awaited<ReturnType<typeof startIssuer>>;

/**
 * An OpenID Connect issuer on loopback, which checks what a client sends, and can be told to misbehave. `namesItself`: it
 * says in its metadata that its responses name it (RFC 9207), and they do.
 */
export async function startIssuer({
  clientId = "outreachd",
  clientSecret = "issuer:secret+!",
  namesItself = true,
} = {}) {
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: "SHA-256",
  };
  const newPair = () => crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const [published, other] = [await newPair(), await newPair()];
  const jwk = { ...(await crypto.subtle.exportKey("jwk", published.publicKey)), kid: "one", alg: "RS256", use: "sig" };

  type Grant = { challenge: string; nonce: string; redirectUri: string; claims: Claims; misconduct: Misconduct };
  const codes = new Map<string, Grant>();
  const tokens = new Map<string, Claims>();
  const exchanges: string[] = [];
  let person: Claims = {};
  let userinfo: Claims = {};
  let misconduct: Misconduct = {};
  let isDown = false;

  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: handle });
  const url = `http://127.0.0.1:${server.port}`;

  async function handle(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (isDown) return new Response("down", { status: 503 });
    if (pathname === "/.well-known/openid-configuration") return Response.json(metadata());
    if (pathname === "/jwks") return Response.json({ keys: [jwk] });
    if (pathname === "/authorize") return authorize(searchParams);
    if (pathname === "/token") return exchange(request);
    if (pathname === "/userinfo") {
      const token = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
      const claims = tokens.get(token);
      return claims === undefined
        ? new Response(null, { status: 401 })
        : Response.json({ sub: claims["sub"], ...userinfo });
    }
    return new Response(null, { status: 404 });
  }

  function metadata() {
    return {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      userinfo_endpoint: `${url}/userinfo`,
      jwks_uri: `${url}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      code_challenge_methods_supported: ["S256"],
      ...(namesItself && { authorization_response_iss_parameter_supported: true }),
    };
  }

  /** A person who has agreed already. */
  function authorize(query: URLSearchParams): Response {
    const wanted = { response_type: "code", client_id: clientId, code_challenge_method: "S256" };
    for (const [name, value] of Object.entries(wanted))
      if (query.get(name) !== value) return new Response(`wrong ${name}`, { status: 400 });
    if (!query.get("scope")?.split(" ").includes("openid")) return new Response("wrong scope", { status: 400 });
    const code = crypto.randomUUID();
    const redirectUri = query.get("redirect_uri") ?? "";
    codes.set(code, {
      challenge: query.get("code_challenge") ?? "",
      nonce: query.get("nonce") ?? "",
      redirectUri,
      claims: person,
      misconduct,
    });
    const answered = new URL(redirectUri);
    const iss = namesItself ? url : "";
    const parameters = { code, state: query.get("state") ?? "", iss, ...misconduct.redirect };
    for (const [name, value] of Object.entries(parameters)) if (value !== "") answered.searchParams.set(name, value);
    misconduct = {};
    return new Response(null, { status: 302, headers: { location: answered.href } });
  }

  async function exchange(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const code = form.get("code") ?? "";
    exchanges.push(code);
    const grant = codes.get(code);
    // RFC 6749, section 4.1.2: a code is used once.
    codes.delete(code);
    if (!isClient(request)) return Response.json({ error: "invalid_client" }, { status: 401 });
    if (grant === undefined) return Response.json({ error: "invalid_grant" }, { status: 400 });
    if (grant.misconduct.tokenStatus !== undefined) return new Response("no", { status: grant.misconduct.tokenStatus });
    const verifier = new TextEncoder().encode(form.get("code_verifier") ?? "");
    const challenge = Buffer.from(await crypto.subtle.digest("SHA-256", verifier)).toString("base64url");
    if (challenge !== grant.challenge || form.get("redirect_uri") !== grant.redirectUri)
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    const seconds = Math.floor(Date.now() / 1000);
    const base = {
      iss: url,
      aud: clientId,
      sub: "ada-at-issuer",
      nonce: grant.nonce,
      iat: seconds,
      exp: seconds + 300,
    };
    const claims = { ...base, ...grant.claims, ...grant.misconduct.claims };
    const token = crypto.randomUUID();
    tokens.set(token, claims);
    const known = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null));
    const key = grant.misconduct.wrongKey ? other.privateKey : published.privateKey;
    const id_token = await signed(grant.misconduct.algorithm ?? key, known, clientSecret);
    return Response.json({ access_token: token, token_type: "Bearer", expires_in: 300, id_token });
  }

  /** client_secret_basic, each part form-encoded (RFC 6749, section 2.3.1). */
  function isClient(request: Request): boolean {
    const pair = atob(request.headers.get("authorization")?.replace("Basic ", "") ?? "").split(":");
    return pair.map(decodeURIComponent).join(":") === `${clientId}:${clientSecret}`;
  }

  return {
    url,
    clientId,
    clientSecret,
    /** Codes that clients tried to exchange. */
    exchanges,
    /** Who signs in next. */
    is(claims: Claims, more: Claims = {}): void {
      person = claims;
      userinfo = more;
    },
    misbehave(next: Misconduct): void {
      misconduct = next;
    },
    set down(down: boolean) {
      isDown = down;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

async function signed(by: CryptoKey | "none" | "HS256", claims: Claims, secret: string): Promise<string> {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const alg = typeof by === "string" ? by : "RS256";
  const input = `${part({ alg, kid: "one", typ: "JWT" })}.${part(claims)}`;
  if (by === "none") return `${input}.`;
  if (by === "HS256") return `${input}.${new Bun.CryptoHasher("sha256", secret).update(input).digest("base64url")}`;
  const signature = await crypto.subtle.sign("RSASSA-PKCS1-v1_5", by, new TextEncoder().encode(input));
  return `${input}.${Buffer.from(signature).toString("base64url")}`;
}
