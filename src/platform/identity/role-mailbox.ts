/**
 * Whether an email address belongs to a role instead of a person (RFC 2142 and common practice). Such an address can be
 * on the do-not-contact list, but does not prove that two records are the same person.
 */
export function isRoleMailbox(email: string): boolean {
  const local = email.slice(0, email.lastIndexOf("@")).toLowerCase();
  const [name = ""] = local.split("+");
  return roles.has(name.replaceAll(/[._-]/g, ""));
}

const roles: ReadonlySet<string> = new Set(
  (
    "abuse accounting accounts admin administrator all billing bookings career careers compliance contact contactus " +
    "customercare customerservice dataprotection datenschutz dpo einkauf enquiries enquiry events feedback finance " +
    "frontdesk help helpdesk hello hi hostmaster hr info information inquiries inquiry invest investors invoice invoices " +
    "jobs kontakt legal list mail mailbox mailerdaemon management marketing media news newsletter noc noreply donotreply " +
    "office operations orders partners payments people personal postmaster pr press privacy procurement purchasing " +
    "reception recruiting recruitment reservations returns root sales security service services shop staff studio " +
    "subscribe support talent team tech unsubscribe usenet uucp vertrieb webmaster welcome www"
  ).split(" "),
);
