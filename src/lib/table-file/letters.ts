import type { TextEncoding } from "./encodings.ts";

/**
 * Letters beyond ASCII that a language writes, and the encodings of one byte a character that its texts come in. `marks` are
 * letters that hardly any other language has at their bytes, of which a text must have several to be told by them.
 */
export type Alphabet = {
  encodings: TextEncoding[];
  letters: string;
  marks: string;
  leastMarks: number;
  /** Of a script with capitals: names begin with them, and every other letter or so is one of these. */
  vowels: string;
};

function latin(encodings: string, letters: string, marks: string, leastMarks: number): Alphabet {
  return { encodings: encodings.split(" "), letters, marks, leastMarks, vowels: "" };
}

/** Of a script of its own. */
function script(encodings: string, letters: string, vowels = ""): Alphabet {
  return { ...latin(encodings, letters, "", 0), vowels };
}

/** Languages of Western Europe; a list of people has names of several. */
export const westernAlphabets = [
  "äöüß", // German
  "àâæçèéêëîïôœùûüÿ", // French
  "áéíñóúüç", // Spanish
  "àáâãçéêíóôõúü", // Portuguese
  "àèéìíòóù", // Italian
  "æøåéöäü", // Danish, Norwegian
  "åäöéü", // Swedish, Finnish
  "éëïèöüáó", // Dutch
];

export const alphabets: Alphabet[] = [
  latin("windows-1250 iso-8859-2", "ąćęłńóśźż", "ąćęłńśźż", 2),
  latin("windows-1250 iso-8859-2", "áčďéěíňóřšťúůýž", "ěščřžůňďť", 4),
  latin("windows-1250 iso-8859-2", "áäčďéíĺľňóôŕšťúýž", "ščžľňďťĺŕ", 4),
  latin("windows-1250 iso-8859-2", "áéíóöőúüű", "őű", 2),
  latin("windows-1250 iso-8859-2", "čćđšž", "čćšž", 3),
  latin("windows-1250 iso-8859-2", "ăâîşţ", "ăşţ", 2),
  // Of Western Europe, too, but with letters that others have at the bytes of Turkish and Lithuanian.
  latin("windows-1252", "áðéíóúýþæö", "áéíóú", 3),
  latin("windows-1254", "çğıİöşüâî", "ğış", 2),
  latin("windows-1257", "ąčęėįšųūž", "ąčęėįšųūž", 4),
  latin("windows-1257", "āčēģīķļņšūž", "āčēģīķļņšūž", 4),
  script("windows-1251 koi8-r ibm866 iso-8859-5 x-mac-cyrillic", "абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "аеёиоуыэюя"),
  script("windows-1251 koi8-u iso-8859-5 x-mac-cyrillic", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", "аеєиіїоуюя"),
  script("windows-1253 iso-8859-7", "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ", "αεηιουωάέήίόύώϊϋΐΰ"),
  script("windows-1255", "אבגדהוזחטיךכלםמןנסעףפץצקרשת"),
  script("windows-1256", "ابتثجحخدذرزسشصضطظعغفقكلمنهويىةءآأؤإئ"),
];
