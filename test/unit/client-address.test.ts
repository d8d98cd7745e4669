import { expect, test } from "bun:test";
import { clientAddress } from "../../src/platform/http/client-address.ts";

const peer = "192.0.2.1";

test.each<[string, string | null, number, string]>([
  ["without proxies of ours the peer counts, whatever a client writes", "203.0.113.9", 0, peer],
  ["behind one proxy its entry counts", "203.0.113.9", 1, "203.0.113.9"],
  ["what the client wrote before it proves nothing", "10.0.0.1, 203.0.113.9", 1, "203.0.113.9"],
  ["behind two proxies the outer one's entry counts", "10.0.0.1, 203.0.113.9, 198.51.100.7", 2, "203.0.113.9"],
  ["blanks and empty entries are passed over", " 10.0.0.1 ,, 203.0.113.9 , ", 1, "203.0.113.9"],
  ["a chain shorter than our proxies gives its outermost entry", "203.0.113.9", 3, "203.0.113.9"],
  ["a proxy that wrote nothing leaves the peer", null, 1, peer],
  ["an empty header leaves the peer", "", 2, peer],
  ["an IPv6 address is taken whole", "2001:db8::1", 1, "2001:db8::1"],
])("%s", (_what, forwarded, trustedProxies, expected) => {
  const request = new Request(
    "http://localhost/",
    forwarded === null ? {} : { headers: { "x-forwarded-for": forwarded } },
  );
  expect(clientAddress(request, peer, trustedProxies)).toBe(expected);
});
