/**
 * The one spelling of an e-mail address that is compared: in lower case, and the domain as the DNS knows it
 * ("bücher.example" is "xn--bcher-kva.example").
 */
export function emailForm(address: string): string {
  const email = address.toLowerCase();
  if (isAscii.test(email)) return email;
  const at = email.lastIndexOf("@");
  return `${email.slice(0, at).normalize("NFC")}@${asciiDomain(email.slice(at + 1))}`;
}

/** A domain as the DNS knows it; as it stands when it can't be one. */
export function asciiDomain(domain: string): string {
  const name = domain.toLowerCase();
  if (isAscii.test(name)) return name;
  return URL.parse(`http://${name}`)?.hostname ?? name;
}

/** The domain of an address and those above it, the closest first, without the last label alone. */
export function domainsOf(email: string): string[] {
  const domains: string[] = [];
  for (let start = email.lastIndexOf("@") + 1; start > 0; start = email.indexOf(".", start) + 1) {
    const domain = email.slice(start);
    if (domain.includes(".")) domains.push(domain);
  }
  return domains;
}

const isAscii = /^[ -~]*$/;
