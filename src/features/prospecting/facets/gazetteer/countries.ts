/**
 * Countries and independent territories, one per line: two- and three-letter ISO 3166-1 codes, the display name, and
 * other names: full, short, in the country's own language and in those of its neighbors. Not taken from
 * `Intl.DisplayNames`, whose data changes between versions, because values stored in an index must be stable.
 *
 * Puerto Rico and other islands that US addresses treat like states are regions of the United States.
 */
export const countryLines = `
ad and Andorra
ae are United Arab Emirates, UAE, U.A.E., Emirates
af afg Afghanistan
ag atg Antigua and Barbuda, Antigua & Barbuda
ai aia Anguilla
al alb Albania
am arm Armenia, Հայաստան
ao ago Angola
ar arg Argentina, República Argentina, Argentinien
at aut Austria, Österreich, Oesterreich, Autriche, Oostenrijk
au aus Australia, Australien, Australie
aw abw Aruba
ax ala Åland Islands
az aze Azerbaijan
ba bih Bosnia and Herzegovina, Bosnia, Bosna i Hercegovina, Bosnia & Herzegovina
bb brb Barbados
bd bgd Bangladesh
be bel Belgium, Belgique, België, Belgien, Bélgica, Belgio
bf bfa Burkina Faso
bg bgr Bulgaria, България, Bulgarien
bh bhr Bahrain
bi bdi Burundi
bj ben Benin
bl blm St. Barthélemy, Saint Barthélemy
bm bmu Bermuda
bn brn Brunei, Brunei Darussalam
bo bol Bolivia, Plurinational State of Bolivia
bq bes Caribbean Netherlands
br bra Brazil, Brasil, Brasilien, Brésil
bs bhs Bahamas, The Bahamas
bt btn Bhutan
bw bwa Botswana
by blr Belarus, Беларусь
bz blz Belize
ca can Canada, Kanada, Canadá
cc cck Cocos Islands, Cocos Keeling Islands
cd cod Democratic Republic of the Congo, DRC, DR Congo, Congo Kinshasa, Congo DRC, The Democratic Republic of the Congo, Democratic Republic of Congo
cf caf Central African Republic
cg cog Republic of the Congo, Congo, Congo Brazzaville, Republic of Congo
ch che Switzerland, Schweiz, Suisse, Svizzera, Suiza, Suíça, Zwitserland
ci civ Ivory Coast, Côte d'Ivoire
ck cok Cook Islands
cl chl Chile
cm cmr Cameroon
cn chn China, People's Republic of China, PRC, P.R. China, Mainland China, 中国
co col Colombia, Kolumbien
cr cri Costa Rica
cu cub Cuba
cv cpv Cape Verde, Cabo Verde
cw cuw Curaçao
cx cxr Christmas Island
cy cyp Cyprus
cz cze Czech Republic, Czechia, Česko, Česká republika, Tschechien
de deu Germany, Deutschland, Federal Republic of Germany, GER, Alemania, Allemagne, Germania, Alemanha, Duitsland, Tyskland, Niemcy
dj dji Djibouti
dk dnk Denmark, Danmark, Dänemark, Danemark, Dinamarca, Denemarken
dm dma Dominica
do dom Dominican Republic, República Dominicana
dz dza Algeria, Algérie
ec ecu Ecuador
ee est Estonia, Eesti, Estland
eg egy Egypt, مصر, Ägypten
eh esh Western Sahara
er eri Eritrea
es esp Spain, España, Spanien, Espagne, Spagna, Espanha, Spanje
et eth Ethiopia
fi fin Finland, Suomi, Finnland, Finlande, Finlandia
fj fji Fiji
fk flk Falkland Islands, Malvinas
fm fsm Micronesia, Federated States of Micronesia
fo fro Faroe Islands
fr fra France, Frankreich, Francia, Frankrijk, França, French Republic
ga gab Gabon
gb gbr United Kingdom, UK, U.K., Great Britain, Britain, The United Kingdom, United Kingdom of Great Britain and Northern Ireland, Reino Unido, Royaume-Uni, Vereinigtes Königreich, Großbritannien, Grossbritannien, Regno Unito, Verenigd Koninkrijk
gd grd Grenada
ge geo Georgia, Republic of Georgia, Sakartvelo
gf guf French Guiana
gg ggy Guernsey
gh gha Ghana
gi gib Gibraltar
gl grl Greenland
gm gmb Gambia, The Gambia
gn gin Guinea
gp glp Guadeloupe
gq gnq Equatorial Guinea
gr grc Greece, Hellas, Ελλάδα, Griechenland, Grèce, Grecia
gt gtm Guatemala
gw gnb Guinea-Bissau
gy guy Guyana
hk hkg Hong Kong, Hong Kong SAR, Hongkong, Hong Kong SAR China, 香港
hn hnd Honduras
hr hrv Croatia, Hrvatska, Kroatien
ht hti Haiti
hu hun Hungary, Magyarország, Ungarn, Hongrie
id idn Indonesia
ie irl Ireland, Éire, Republic of Ireland, Irland, Irlande, Irlanda
il isr Israel, ישראל
im imn Isle of Man
in ind India, Bharat, Indien, Inde
iq irq Iraq
ir irn Iran, Islamic Republic of Iran
is isl Iceland, Ísland, Island
it ita Italy, Italia, Italien, Italie, Itália
je jey Jersey
jm jam Jamaica
jo jor Jordan
jp jpn Japan, 日本, Nippon
ke ken Kenya
kg kgz Kyrgyzstan
kh khm Cambodia
ki kir Kiribati
km com Comoros
kn kna St. Kitts and Nevis, St. Kitts & Nevis, Saint Kitts and Nevis
kp prk North Korea, DPRK, Korea North, Democratic People's Republic of Korea
kr kor South Korea, Korea, Republic of Korea, Korea South, ROK, 대한민국, 한국
kw kwt Kuwait
ky cym Cayman Islands
kz kaz Kazakhstan, Қазақстан, Казахстан
la lao Laos, Lao PDR, Lao People's Democratic Republic
lb lbn Lebanon
lc lca St. Lucia, Saint Lucia
li lie Liechtenstein
lk lka Sri Lanka
lr lbr Liberia
ls lso Lesotho
lt ltu Lithuania, Lietuva, Litauen
lu lux Luxembourg, Luxemburg
lv lva Latvia, Latvija, Lettland
ly lby Libya
ma mar Morocco, Maroc, Marruecos
mc mco Monaco
md mda Moldova, Republic of Moldova
me mne Montenegro
mf maf St. Martin, Saint Martin
mg mdg Madagascar
mh mhl Marshall Islands
mk mkd North Macedonia, Macedonia, Republic of North Macedonia
ml mli Mali
mm mmr Myanmar, Burma
mn mng Mongolia
mo mac Macao, Macao SAR China, Macau, Macao SAR, Macau SAR
mq mtq Martinique
mr mrt Mauritania
ms msr Montserrat
mt mlt Malta
mu mus Mauritius
mv mdv Maldives
mw mwi Malawi
mx mex Mexico, Mexique, Mexiko
my mys Malaysia
mz moz Mozambique
na nam Namibia
nc ncl New Caledonia
ne ner Niger
nf nfk Norfolk Island
ng nga Nigeria
ni nic Nicaragua
nl nld Netherlands, The Netherlands, Nederland, Holland, Niederlande, Pays-Bas, Países Bajos, Paesi Bassi, Países Baixos
no nor Norway, Norge, Norwegen, Norvège, Noruega, Noorwegen
np npl Nepal
nr nru Nauru
nu niu Niue
nz nzl New Zealand, Aotearoa, NZ
om omn Oman
pa pan Panama
pe per Peru, Perú
pf pyf French Polynesia
pg png Papua New Guinea
ph phl Philippines, Philippinen, Pilipinas
pk pak Pakistan
pl pol Poland, Polska, Polen, Pologne, Polonia
pm spm St. Pierre and Miquelon, St. Pierre & Miquelon, Saint Pierre and Miquelon
pn pcn Pitcairn Islands
ps pse Palestine, Palestinian Territories, State of Palestine
pt prt Portugal, Portogallo
pw plw Palau
py pry Paraguay
qa qat Qatar
re reu Réunion
ro rou Romania, România, Rumänien, Roumanie
rs srb Serbia, Srbija, Serbien
ru rus Russia, Russian Federation, Россия, Russland
rw rwa Rwanda
sa sau Saudi Arabia, KSA, Kingdom of Saudi Arabia
sb slb Solomon Islands
sc syc Seychelles
sd sdn Sudan
se swe Sweden, Sverige, Schweden, Suède, Suecia, Zweden
sg sgp Singapore
sh shn St. Helena, Saint Helena
si svn Slovenia, Slovenija, Slowenien
sk svk Slovakia, Slovensko, Slovak Republic, Slowakei
sl sle Sierra Leone
sm smr San Marino
sn sen Senegal
so som Somalia
sr sur Suriname
ss ssd South Sudan
st stp São Tomé and Príncipe, São Tomé & Príncipe
sv slv El Salvador
sx sxm Sint Maarten
sy syr Syria, Syrian Arab Republic
sz swz Eswatini, Swaziland
tc tca Turks and Caicos Islands, Turks & Caicos Islands
td tcd Chad
tg tgo Togo
th tha Thailand
tj tjk Tajikistan
tk tkl Tokelau
tl tls Timor-Leste, East Timor
tm tkm Turkmenistan
tn tun Tunisia, Tunisie
to ton Tonga
tr tur Turkey, Türkiye, Türkei, Turquie, Turquía
tt tto Trinidad and Tobago, Trinidad & Tobago
tv tuv Tuvalu
tw twn Taiwan, Taiwan R.O.C., Province of China Taiwan, 台灣, 台湾
tz tza Tanzania, United Republic of Tanzania
ua ukr Ukraine, Україна, Ukraina
ug uga Uganda
us usa United States, US, U.S., U.S.A., United States of America, America, The United States, The US, The USA, Estados Unidos, EE. UU., EEUU, EUA, Etats-Unis, Vereinigte Staaten, Vereinigte Staaten von Amerika, Stati Uniti, Verenigde Staten
uy ury Uruguay
uz uzb Uzbekistan
va vat Vatican City, Holy See, Vatican
vc vct St. Vincent and Grenadines, St. Vincent & Grenadines, Saint Vincent and Grenadines
ve ven Venezuela, Bolivarian Republic of Venezuela
vg vgb British Virgin Islands
vn vnm Vietnam, Viet Nam
vu vut Vanuatu
wf wlf Wallis and Futuna, Wallis & Futuna
ws wsm Samoa
xk xkx Kosovo, Kosova
ye yem Yemen
yt myt Mayotte
za zaf South Africa, RSA, Republic of South Africa, Südafrika
zm zmb Zambia
zw zwe Zimbabwe
`;

/** Territories that are also written before the country they belong to: "Hong Kong, China". */
export const territoriesOf: Record<string, string> = {
  cn: "hk mo tw",
  dk: "fo gl",
  fi: "ax",
  fr: "bl gf gp mf mq nc pf pm re wf yt",
  gb: "ai bm fk gg gi im je ky ms pn sh tc vg",
  nl: "aw bq cw sx",
  nz: "ck nu tk",
};
