/**
 * States, provinces, and similar regions by country: "code Name|other names". Regions that consist of a single city
 * (Berlin, Hamburg, Delhi) are treated as that city. Addresses without a country use the codes of the first group; its
 * order decides the meaning of codes that two of them share.
 */
export const regionsByCode: Record<string, string> = {
  us: `al Alabama, ak Alaska, az Arizona, ar Arkansas, ca California|Calif, co Colorado, ct Connecticut, de Delaware,
    dc District of Columbia|Washington DC|Washington D.C.|D.C., fl Florida, ga Georgia, hi Hawaii, id Idaho, il Illinois,
    in Indiana, ia Iowa, ks Kansas, ky Kentucky, la Louisiana, me Maine, md Maryland, ma Massachusetts|Mass, mi Michigan,
    mn Minnesota, ms Mississippi, mo Missouri, mt Montana, ne Nebraska, nv Nevada, nh New Hampshire, nj New Jersey,
    nm New Mexico, ny New York|New York State, nc North Carolina, nd North Dakota, oh Ohio, ok Oklahoma, or Oregon,
    pa Pennsylvania, ri Rhode Island, sc South Carolina, sd South Dakota, tn Tennessee, tx Texas, ut Utah, vt Vermont,
    va Virginia, wa Washington|Washington State, wv West Virginia, wi Wisconsin, wy Wyoming, pr Puerto Rico|pri,
    gu Guam|gum, vi U.S. Virgin Islands|Virgin Islands|Virgin Islands U.S.|vir, as American Samoa|asm,
    mp Northern Mariana Islands|mnp`,
  ca: `ab Alberta, bc British Columbia, mb Manitoba, nb New Brunswick, nl Newfoundland and Labrador|Newfoundland,
    ns Nova Scotia, nt Northwest Territories, nu Nunavut, on Ontario, pe Prince Edward Island|pei, qc Quebec,
    sk Saskatchewan, yt Yukon|Yukon Territory`,
  au: `act Australian Capital Territory, nsw New South Wales, nt Northern Territory, qld Queensland, sa South Australia,
    tas Tasmania, vic Victoria, wa Western Australia`,
};

/** Regions whose codes are recognized only next to their country. */
export const regionsByName: Record<string, string> = {
  gb: `eng England, sct Scotland, wls Wales|Cymru, nir Northern Ireland`,
  de: `bb Brandenburg, bw Baden-Württemberg|Baden-Wuerttemberg, by Bavaria|Bayern, he Hesse|Hessen,
    mv Mecklenburg-Vorpommern|Mecklenburg-Western Pomerania, ni Lower Saxony|Niedersachsen,
    nw North Rhine-Westphalia|Nordrhein-Westfalen|nrw, rp Rhineland-Palatinate|Rheinland-Pfalz,
    sh Schleswig-Holstein, sl Saarland, sn Saxony|Sachsen, st Saxony-Anhalt|Sachsen-Anhalt, th Thuringia|Thüringen`,
  in: `an Andaman and Nicobar Islands, ap Andhra Pradesh, ar Arunachal Pradesh, as Assam, br Bihar,
    ct Chhattisgarh|cg, ga Goa, gj Gujarat, hp Himachal Pradesh, hr Haryana, jh Jharkhand, jk Jammu and Kashmir,
    ka Karnataka, kl Kerala, la Ladakh, ld Lakshadweep, mh Maharashtra, ml Meghalaya, mn Manipur, mp Madhya Pradesh,
    mz Mizoram, nl Nagaland, or Odisha|Orissa|od, pb Punjab, py Puducherry, rj Rajasthan, sk Sikkim,
    tg Telangana|ts, tn Tamil Nadu, tr Tripura, up Uttar Pradesh, ut Uttarakhand|uk, wb West Bengal`,
  br: `ac Acre, al Alagoas, am Amazonas, ap Amapá, ba Bahia, ce Ceará, df Distrito Federal|Federal District,
    es Espírito Santo, go Goiás, ma Maranhão, mg Minas Gerais, ms Mato Grosso do Sul, mt Mato Grosso, pa Pará,
    pb Paraíba, pe Pernambuco, pi Piauí, pr Paraná, rj Rio de Janeiro, rn Rio Grande do Norte, ro Rondônia,
    rr Roraima, rs Rio Grande do Sul, sc Santa Catarina, se Sergipe, sp São Paulo, to Tocantins`,
};

/** Ambiguous names, which mean the region only next to its country or to a city known to be there. */
export const sharedRegionNames = [
  "victoria", "punjab", "acre", "amazonas", "para", "parana", "distrito federal", "federal district",
  "santa catarina", "rio de janeiro", "sao paulo", "mass",
]; // prettier-ignore

/** Names that mean the city, unless preceded by a city. */
export const cityBeforeRegion = ["rio de janeiro", "sao paulo"];
