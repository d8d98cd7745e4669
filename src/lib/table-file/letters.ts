import type { TextEncoding } from "./encodings.ts";

/**
 * Non-ASCII letters of a language, and the single-byte encodings of its texts. `marks` are letters that hardly any
 * other language has at their bytes; a text must contain several of them to be identified by them.
 */
export type Alphabet = {
  encodings: TextEncoding[];
  letters: string;
  marks: string;
  leastMarks: number;
  /** Vowels of a script with capitals. Names start with a capital, and about every other letter is a vowel. */
  vowels: string;
};

function latin(encodings: string, letters: string, marks: string, leastMarks: number): Alphabet {
  return { encodings: encodings.split(" "), letters, marks, leastMarks, vowels: "" };
}

/** A language with its own script. */
function script(encodings: string, letters: string, vowels = ""): Alphabet {
  return { ...latin(encodings, letters, "", 0), vowels };
}

/** Languages of Western Europe; a list of people contains names from several. */
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
  // Also Western Europe, but with letters whose bytes are used by Turkish and Lithuanian.
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
