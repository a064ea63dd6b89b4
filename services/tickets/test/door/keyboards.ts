// Keyboards as they are printed: what each key types, on US, Swiss German and French keyboards.

/** A key that is pressed: its place, what the device makes of it, and the modifiers. */
export interface Stroke {
  readonly code: string;
  readonly key: string;
  readonly shift: boolean;
  readonly altGraph: boolean;
}

const letters = (text: string): string[] => [...text].map((letter) => `Key${letter}`);

const CODES = [
  ['Backquote', ...[...'1234567890'].map((digit) => `Digit${digit}`), 'Minus', 'Equal'],
  [...letters('QWERTYUIOP'), 'BracketLeft', 'BracketRight'],
  [...letters('ASDFGHJKL'), 'Semicolon', 'Quote', 'Backslash'],
  [...letters('ZXCVBNM'), 'Comma', 'Period', 'Slash'],
  ['Space'],
].flat();

/** Each layout's rows without and with Shift; `\0` is a key without a character there. */
const ROWS = {
  us: [
    ['`1234567890-=', 'qwertyuiop[]', "asdfghjkl;'\\", 'zxcvbnm,./', ' '],
    ['~!@#$%^&*()_+', 'QWERTYUIOP{}', 'ASDFGHJKL:"|', 'ZXCVBNM<>?', ' '],
  ],
  'de-CH': [
    ["§1234567890'^", 'qwertzuiopü¨', 'asdfghjklöä$', 'yxcvbnm,.-', ' '],
    ['°+"*ç%&/()=?`', 'QWERTZUIOPè!', 'ASDFGHJKLéà£', 'YXCVBNM;:_', ' '],
  ],
  fr: [
    ['²&é"\'(-è_çà)=', 'azertyuiop^$', 'qsdfghjklmù*', 'wxcvbn,;:!', ' '],
    ['\u00001234567890°+', 'AZERTYUIOP¨£', 'QSDFGHJKLM%µ', 'WXCVBN?./§', ' '],
  ],
} as const;

/** Where `]` is with AltGr. */
const ALT_GRAPH = { us: undefined, 'de-CH': 'BracketRight', fr: 'Minus' } as const;

export type Layout = keyof typeof ROWS;

export const LAYOUTS = Object.keys(ROWS) as Layout[];

/** Keys that wait for the next letter. */
const DEAD = ['¨', '^', '`'];

const charactersOf = (layout: Layout, shift: boolean): string[] => [...ROWS[layout][shift ? 1 : 0].join('')];

const pressed = (scanner: Layout, character: string): Pick<Stroke, 'code' | 'shift' | 'altGraph'> => {
  const code = character === ']' ? ALT_GRAPH[scanner] : undefined;
  if (code) return { code, shift: false, altGraph: true };
  for (const shift of [false, true]) {
    const at = charactersOf(scanner, shift).indexOf(character);
    if (at >= 0) return { code: String(CODES[at]), shift, altGraph: false };
  }
  throw new Error(`the keyboard ${scanner} has no ${character}`);
};

/** What reaches the page when a scanner that emulates one keyboard types on a device that is set to another one. */
export const type = (text: string, { scanner, device }: Record<'scanner' | 'device', Layout>): Stroke[] =>
  [...text].map((character) => {
    const stroke = pressed(scanner, character);
    const typed = charactersOf(device, stroke.shift)[CODES.indexOf(stroke.code)] ?? '';
    const key = stroke.altGraph
      ? scanner === device
        ? character
        : 'Unidentified'
      : DEAD.includes(typed)
        ? 'Dead'
        : typed;
    return { ...stroke, key };
  });
