/** The domain of an address, in lower case; null when there is none. */
export function domainOfEmail(email: string): string | null {
  const at = email.lastIndexOf("@");
  const domain = at < 1 ? "" : email.slice(at + 1).toLowerCase();
  return domain.includes(".") ? domain : null;
}

/**
 * Domains where anybody can have a mailbox: they say nothing about a company, and their addresses follow no pattern.
 * The large ones of the world; a small one that is missing only costs a guess that is marked as one.
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

export function isFreeMail(domain: string): boolean {
  return freeMail.has(domain);
}

/** As `domainOfEmail`; null where everybody may have an address. */
export function businessDomain(email: string): string | null {
  const domain = domainOfEmail(email);
  return domain === null || isFreeMail(domain) ? null : domain;
}

/** Whether a host is a domain, or lies in it. */
export function isWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}
