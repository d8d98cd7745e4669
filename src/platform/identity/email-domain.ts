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

/**
 * The registered domain that a host belongs to: example.com of mail.example.com, example.co.uk of www.example.co.uk, as
 * far as the usual endings show. What hosting services hand out counts as registered: acme.github.io.
 */
export function registeredDomain(host: string): string {
  const labels = host.split(".");
  if (labels.length <= 2) return host;
  const ending = labels.slice(-2).join(".");
  const [second = "", last = ""] = labels.slice(-2);
  const isEnding = (last.length === 2 && secondLevels.has(second)) || sharedHosts.has(ending);
  return isEnding ? labels.slice(-3).join(".") : ending;
}

/** Whether a host is run by the owner of a domain: it is that domain, or lies in it and nobody else could register it. */
export function isSiteOf(host: string, domain: string): boolean {
  return host === domain || (isWithin(host, domain) && registeredDomain(host) === registeredDomain(domain));
}

/** Below country codes. A missing one costs a closer look at more hosts; the domains themselves are still compared. */
const secondLevels = new Set(
  "ac co com edu gob gouv gov go id ltd me mil ne net nhs nom or org plc police sch web".split(" "),
);
/** Where anyone can get a name, from the private section of publicsuffix.org. */
const sharedHosts = new Set(
  `azurewebsites.net blogspot.com business.site carrd.co fly.dev github.io gitlab.io herokuapp.com myshopify.com
  netlify.app notion.site onmicrosoft.com onrender.com pages.dev sharepoint.com squarespace.com substack.com tumblr.com
  vercel.app web.app webflow.io weebly.com wixsite.com wordpress.com workers.dev`.split(/\s+/),
);
