/**
 * Metropolitan areas as named by professional networks. Cities in an area are found by it. A person who names only the
 * area is found by the cities in its name, although they may live anywhere in it, and by no others. `of`: the region
 * that contains the whole area, or else the country. `names`: text between "Greater" and "Area", in addition to the
 * first city; names marked with = are used alone.
 */
export type MetroLine = { name: string; of: string; names?: string; cities: Record<string, string> };

export const metroLines: MetroLine[] = [
  {
    name: "San Francisco Bay Area",
    of: "us-ca",
    names: "San Francisco Bay, Bay, =SF Bay",
    cities: {
      "us-ca": `San Francisco, Oakland, San Jose, Berkeley, Palo Alto, Mountain View, Sunnyvale, Santa Clara, Menlo Park,
        Cupertino, Redwood City, San Mateo, South San Francisco, Foster City, Fremont, Pleasanton, Walnut Creek, San Ramon,
        Burlingame, San Bruno, San Carlos, Belmont, Milpitas, Los Gatos, Los Altos, Campbell, Hayward, Emeryville, Alameda,
        San Rafael, Sausalito, Mill Valley, Daly City, San Leandro, Concord, Livermore, Dublin, Richmond, Newark`,
    },
  },
  {
    name: "Greater Los Angeles",
    of: "us-ca",
    cities: {
      "us-ca": `Los Angeles, Long Beach, Santa Monica, Pasadena, Burbank, Glendale, Culver City, Beverly Hills, Torrance,
        Inglewood, El Segundo, West Hollywood, Hollywood, Manhattan Beach, Venice`,
    },
  },
  {
    name: "Greater San Diego",
    of: "us-ca",
    cities: { "us-ca": "San Diego, La Jolla, Chula Vista, Carlsbad, Del Mar" },
  },
  {
    name: "Greater New York",
    of: "us",
    names: "New York City, NYC",
    cities: {
      "us-ny": "New York, Brooklyn, Manhattan, Queens, Bronx, Staten Island, Yonkers, White Plains",
      "us-nj": "Newark, Jersey City, Hoboken",
    },
  },
  {
    name: "Greater Boston",
    of: "us",
    cities: {
      "us-ma": `Boston, Cambridge, Somerville, Waltham, Newton, Quincy, Brookline, Burlington, Woburn, Framingham, Lexington,
        Needham, Medford, Malden, Watertown`,
    },
  },
  {
    name: "Greater Chicago",
    of: "us",
    cities: { "us-il": "Chicago, Evanston, Naperville, Schaumburg, Oak Brook, Oak Park" },
  },
  {
    name: "Washington DC-Baltimore Area",
    of: "us",
    names: "Washington DC Baltimore, Washington DC, Washington D.C., DC, =DMV, Baltimore",
    cities: {
      "us-dc": "Washington",
      "us-md": "Baltimore, Bethesda, Rockville, Silver Spring, Columbia, Annapolis, Gaithersburg",
      "us-va": "Arlington, Alexandria, Reston, McLean, Tysons, Fairfax, Herndon",
    },
  },
  { name: "Greater Philadelphia", of: "us", cities: { "us-pa": "Philadelphia, King of Prussia", "us-nj": "Camden" } },
  {
    name: "Dallas-Fort Worth Metroplex",
    of: "us-tx",
    names: "=Dallas Fort Worth, =Dallas-Ft. Worth, =DFW, Fort Worth",
    cities: { "us-tx": "Dallas, Fort Worth, Plano, Frisco, Irving, Arlington, Richardson, McKinney, Garland" },
  },
  { name: "Greater Houston", of: "us-tx", cities: { "us-tx": "Houston, The Woodlands, Sugar Land, Katy" } },
  {
    name: "Greater Austin",
    of: "us-tx",
    names: "Austin Round Rock",
    cities: { "us-tx": "Austin, Round Rock, Cedar Park" },
  },
  { name: "Greater San Antonio", of: "us-tx", cities: { "us-tx": "San Antonio" } },
  {
    name: "Greater Seattle",
    of: "us-wa",
    cities: { "us-wa": "Seattle, Bellevue, Redmond, Kirkland, Tacoma, Bothell" },
  },
  {
    name: "Denver Metropolitan Area",
    of: "us-co",
    cities: { "us-co": "Denver, Aurora, Lakewood, Englewood, Littleton" },
  },
  {
    name: "Atlanta Metropolitan Area",
    of: "us-ga",
    cities: { "us-ga": "Atlanta, Alpharetta, Marietta, Sandy Springs" },
  },
  {
    name: "Miami-Fort Lauderdale Area",
    of: "us-fl",
    names: "=Miami Fort Lauderdale, Fort Lauderdale",
    cities: { "us-fl": "Miami, Fort Lauderdale, Boca Raton, West Palm Beach, Coral Gables, Hollywood, Miami Beach" },
  },
  {
    name: "Greater Tampa Bay Area",
    of: "us-fl",
    names: "=Tampa Bay",
    cities: { "us-fl": "Tampa, St. Petersburg, Clearwater" },
  },
  { name: "Greater Orlando", of: "us-fl", cities: { "us-fl": "Orlando, Winter Park, Kissimmee" } },
  {
    name: "Greater Minneapolis-St. Paul Area",
    of: "us",
    names: "=Minneapolis St. Paul, =Minneapolis Saint Paul, =Twin Cities",
    cities: { "us-mn": "Minneapolis, Saint Paul, Bloomington, Eden Prairie" },
  },
  {
    name: "Greater Phoenix",
    of: "us-az",
    cities: { "us-az": "Phoenix, Scottsdale, Tempe, Mesa, Chandler, Gilbert, Glendale" },
  },
  { name: "Detroit Metropolitan Area", of: "us-mi", cities: { "us-mi": "Detroit, Dearborn, Troy" } },
  { name: "Greater St. Louis", of: "us", cities: { "us-mo": "St. Louis, Clayton, Chesterfield" } },
  {
    name: "Kansas City Metropolitan Area",
    of: "us",
    cities: { "us-mo": "Kansas City", "us-ks": "Kansas City, Overland Park" },
  },
  { name: "Greater Portland", of: "us", cities: { "us-or": "Portland, Beaverton", "us-wa": "Vancouver" } },
  {
    name: "Raleigh-Durham-Chapel Hill Area",
    of: "us-nc",
    names: "=Raleigh Durham Chapel Hill, =Raleigh Durham, =Research Triangle, Durham",
    cities: { "us-nc": "Raleigh, Durham, Chapel Hill, Cary, Morrisville" },
  },
  { name: "Charlotte Metro", of: "us", cities: { "us-nc": "Charlotte" } },
  { name: "Nashville Metropolitan Area", of: "us-tn", cities: { "us-tn": "Nashville, Franklin, Brentwood" } },
  {
    name: "Salt Lake City Metropolitan Area",
    of: "us-ut",
    names: "Salt Lake",
    cities: { "us-ut": "Salt Lake City, Sandy, Draper" },
  },
  { name: "Greater Pittsburgh", of: "us-pa", cities: { "us-pa": "Pittsburgh" } },
  { name: "Greater Cleveland", of: "us-oh", cities: { "us-oh": "Cleveland" } },
  {
    name: "Greater Toronto Area",
    of: "ca-on",
    names: "=GTA",
    cities: {
      "ca-on": "Toronto, Mississauga, Brampton, Markham, Vaughan, Oakville, Richmond Hill, Burlington, Ajax, Pickering",
    },
  },
  {
    name: "Greater Vancouver",
    of: "ca-bc",
    cities: { "ca-bc": "Vancouver, Burnaby, Surrey, Richmond, Coquitlam, Delta, North Vancouver, West Vancouver" },
  },
  { name: "Greater Montreal", of: "ca-qc", cities: { "ca-qc": "Montreal, Laval, Longueuil" } },
  {
    name: "Greater London",
    of: "gb-eng",
    cities: {
      "gb-eng": "London, Croydon, Westminster, Kensington, Islington, Hackney, Camden, Wimbledon, Richmond upon Thames",
    },
  },
  {
    name: "Greater Manchester",
    of: "gb-eng",
    cities: { "gb-eng": "Manchester, Salford, Bolton, Stockport, Trafford, Oldham" },
  },
  { name: "Greater Birmingham", of: "gb-eng", cities: { "gb-eng": "Birmingham, Solihull" } },
  { name: "Greater Dublin", of: "ie", cities: { ie: "Dublin, Dún Laoghaire, Swords" } },
  {
    name: "Greater Paris Metropolitan Region",
    of: "fr",
    cities: { fr: "Paris, Boulogne-Billancourt, Courbevoie, Puteaux, Levallois-Perret, Neuilly-sur-Seine" },
  },
  { name: "Greater Munich", of: "de-by", cities: { "de-by": "Munich, Garching, Unterföhring, Ismaning" } },
  { name: "Berlin Metropolitan Area", of: "de", cities: { de: "Berlin, Potsdam" } },
  { name: "Hamburg Metropolitan Area", of: "de", cities: { de: "Hamburg" } },
  {
    name: "Frankfurt Rhine-Main Metropolitan Area",
    of: "de",
    names: "Frankfurt Rhine-Main, =Rhine-Main, =Rhein-Main",
    cities: { de: "Frankfurt, Wiesbaden, Mainz, Darmstadt, Offenbach, Eschborn" },
  },
  {
    name: "Cologne Bonn Region",
    of: "de-nw",
    names: "Cologne Bonn, Cologne/Bonn",
    cities: { "de-nw": "Cologne, Bonn, Leverkusen" },
  },
  {
    name: "Stuttgart Region",
    of: "de-bw",
    cities: { "de-bw": "Stuttgart, Esslingen, Ludwigsburg, Sindelfingen, Böblingen" },
  },
  { name: "Greater Zurich Area", of: "ch", cities: { ch: "Zurich, Winterthur" } },
  { name: "Greater Vienna", of: "at", cities: { at: "Vienna" } },
  {
    name: "Amsterdam Area",
    of: "nl",
    names: "Amsterdam Metropolitan, Metropoolregio Amsterdam",
    cities: { nl: "Amsterdam, Amstelveen, Haarlem, Hoofddorp" },
  },
  { name: "Brussels Metropolitan Area", of: "be", cities: { be: "Brussels, Zaventem, Diegem" } },
  {
    name: "Greater Madrid Metropolitan Area",
    of: "es",
    cities: { es: "Madrid, Alcobendas, Getafe, Pozuelo de Alarcón" },
  },
  {
    name: "Greater Barcelona Metropolitan Area",
    of: "es",
    cities: { es: "Barcelona, Sant Cugat del Vallès, Badalona" },
  },
  { name: "Greater Milan Metropolitan Area", of: "it", cities: { it: "Milan, Monza, Assago" } },
  { name: "Greater Stockholm Metropolitan Area", of: "se", cities: { se: "Stockholm, Solna, Kista" } },
  { name: "Copenhagen Metropolitan Area", of: "dk", cities: { dk: "Copenhagen, Frederiksberg, Hellerup" } },
  { name: "Greater Sydney Area", of: "au-nsw", cities: { "au-nsw": "Sydney, Parramatta, North Sydney, Chatswood" } },
  { name: "Greater Melbourne Area", of: "au-vic", cities: { "au-vic": "Melbourne" } },
  { name: "Greater Brisbane Area", of: "au-qld", cities: { "au-qld": "Brisbane" } },
  { name: "Greater Bengaluru Area", of: "in-ka", cities: { "in-ka": "Bengaluru" } },
  { name: "Mumbai Metropolitan Region", of: "in-mh", cities: { "in-mh": "Mumbai, Navi Mumbai, Thane" } },
  {
    name: "Greater Delhi Area",
    of: "in",
    names: "Delhi, =Delhi NCR",
    cities: { in: "New Delhi, Gurugram, Noida, Greater Noida, Faridabad, Ghaziabad" },
  },
  { name: "Greater Hyderabad Area", of: "in-tg", cities: { "in-tg": "Hyderabad, Secunderabad" } },
  { name: "Greater Chennai Area", of: "in-tn", cities: { "in-tn": "Chennai" } },
  { name: "Greater Tokyo Area", of: "jp", cities: { jp: "Tokyo, Yokohama, Kawasaki" } },
  { name: "Greater São Paulo Area", of: "br-sp", cities: { "br-sp": "São Paulo, Barueri, Osasco, Guarulhos" } },
  { name: "Greater Rio de Janeiro", of: "br-rj", cities: { "br-rj": "Rio de Janeiro, Niterói" } },
  { name: "Greater Buenos Aires", of: "ar", cities: { ar: "Buenos Aires" } },
  { name: "Mexico City Metropolitan Area", of: "mx", cities: { mx: "Mexico City" } },
];
