import { canonicalDomain } from "./domain.ts";

/** The canonical domain of an address; null if it has none. */
export function domainOfEmail(email: string): string | null {
  const at = email.lastIndexOf("@");
  const domain = at < 1 ? "" : canonicalDomain(email.slice(at + 1));
  return domain.includes(".") ? domain : null;
}

/** The domain of a canonical address and the domains above it, nearest first, without the top-level domain. */
export function domainsOfEmail(email: string): string[] {
  const domains: string[] = [];
  for (let start = email.lastIndexOf("@") + 1; start > 0; start = email.indexOf(".", start) + 1) {
    const domain = email.slice(start);
    if (domain.includes(".")) domains.push(domain);
  }
  return domains;
}

/** The canonical domain of an address; null at a provider where anyone can have a mailbox. */
export function businessDomain(email: string): string | null {
  const domain = domainOfEmail(email);
  return domain === null || isFreeMail(domain) ? null : domain;
}

/** Whether anyone can have a mailbox at this canonical domain. */
export function isFreeMail(domain: string): boolean {
  return freeMail.has(domain);
}

/**
 * The large providers where anyone can have a mailbox: their domains do not identify a company, and their addresses
 * follow no pattern. A small provider that is missing costs one guess, and that guess is marked as such.
 */
const freeMail = new Set(
  `gmail.com googlemail.com outlook.com hotmail.com hotmail.co.uk hotmail.fr hotmail.de live.com live.co.uk msn.com
  yahoo.com yahoo.co.uk yahoo.fr yahoo.de yahoo.co.in yahoo.co.jp yahoo.com.br ymail.com rocketmail.com aol.com icloud.com
  me.com mac.com proton.me protonmail.com pm.me tutanota.com tuta.io gmx.com gmx.de gmx.net gmx.at gmx.ch web.de
  t-online.de freenet.de posteo.de mailbox.org mail.com mail.ru inbox.ru list.ru bk.ru yandex.com yandex.ru ya.ru
  rambler.ru qq.com 163.com 126.com sina.com foxmail.com naver.com daum.net hanmail.net rediffmail.com zoho.com
  fastmail.com hey.com orange.fr wanadoo.fr free.fr laposte.net sfr.fr libero.it virgilio.it tin.it alice.it hotmail.it
  bol.com.br uol.com.br terra.com.br wp.pl o2.pl onet.pl interia.pl seznam.cz email.cz centrum.cz abv.bg ukr.net
  btinternet.com sky.com virginmedia.com talktalk.net ntlworld.com comcast.net verizon.net att.net sbcglobal.net
  bellsouth.net cox.net charter.net shaw.ca rogers.com sympatico.ca bigpond.com optusnet.com.au xtra.co.nz telenet.be
  skynet.be ziggo.nl kpnmail.nl planet.nl home.nl bluewin.ch hispeed.ch telia.com`.split(/\s+/),
);
