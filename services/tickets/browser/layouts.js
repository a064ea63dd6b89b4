// Which key of which keyboard layout types which character, as far as barcodes have them. Physical keys are named by
// their place on a US keyboard (UI Events, `code`); `+` before a name is Shift, `^` is AltGr.

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Letters where the layout has them at another place than the US one. */
const letters = (moved = {}) =>
  Object.fromEntries(
    LETTERS.flatMap((letter) => {
      const code = moved[letter] ?? `Key${letter}`;
      return [
        [`+${code}`, letter],
        [code, letter.toLowerCase()],
      ];
    }),
  );

const digits = (prefix) => Object.fromEntries([...'0123456789'].map((digit) => [`${prefix}Digit${digit}`, digit]));

/** The same on every layout; scanners may type digits there. */
const COMMON = {
  Space: ' ',
  '+Space': ' ',
  ...Object.fromEntries([...'0123456789'].map((digit) => [`Numpad${digit}`, digit])),
  NumpadAdd: '+',
  NumpadSubtract: '-',
  NumpadMultiply: '*',
  NumpadDivide: '/',
  NumpadDecimal: '.',
};

/**
 * What each layout types, by key. As far as barcodes go, `us` is also the British one, `de-CH` all those of
 * Switzerland.
 */
export const LAYOUTS = {
  us: {
    ...COMMON,
    ...letters(),
    ...digits(''),
    '+Digit4': '$',
    '+Digit5': '%',
    '+Digit8': '*',
    '+Equal': '+',
    Minus: '-',
    '+Minus': '_',
    Period: '.',
    Slash: '/',
    '+Semicolon': ':',
    BracketRight: ']',
  },
  de: {
    ...COMMON,
    ...letters({ Y: 'KeyZ', Z: 'KeyY' }),
    ...digits(''),
    '+Digit4': '$',
    '+Digit5': '%',
    '+BracketRight': '*',
    BracketRight: '+',
    Slash: '-',
    '+Slash': '_',
    Period: '.',
    '+Digit7': '/',
    '+Period': ':',
    '^Digit9': ']',
  },
  'de-CH': {
    ...COMMON,
    ...letters({ Y: 'KeyZ', Z: 'KeyY' }),
    ...digits(''),
    Backslash: '$',
    '+Digit5': '%',
    '+Digit3': '*',
    '+Digit1': '+',
    Slash: '-',
    '+Slash': '_',
    Period: '.',
    '+Digit7': '/',
    '+Period': ':',
    '^BracketRight': ']',
  },
  fr: {
    ...COMMON,
    ...letters({ A: 'KeyQ', Q: 'KeyA', Z: 'KeyW', W: 'KeyZ', M: 'Semicolon' }),
    ...digits('+'),
    BracketRight: '$',
    '+Quote': '%',
    Backslash: '*',
    '+Equal': '+',
    Digit6: '-',
    Digit8: '_',
    '+Comma': '.',
    '+Period': '/',
    Period: ':',
    '^Minus': ']',
  },
  it: {
    ...COMMON,
    ...letters(),
    ...digits(''),
    '+Digit4': '$',
    '+Digit5': '%',
    '+BracketRight': '*',
    BracketRight: '+',
    Slash: '-',
    '+Slash': '_',
    Period: '.',
    '+Digit7': '/',
    '+Period': ':',
    '^BracketRight': ']',
  },
};

/**
 * Every text that these keystrokes `{code, key, shift, altGraph}` can mean, the likeliest first. The layout of the
 * device does not matter, since the place of a key says what the scanner pressed.
 */
export function readings(strokes) {
  const found = [asTyped(strokes), ...Object.values(LAYOUTS).map((layout) => readAs(layout, strokes))];
  return [...new Set(found.filter((text) => text !== undefined))];
}

/** As the device has typed it: right where both have the same layout, whichever it is. */
const asTyped = (strokes) =>
  strokes.every(({ key }) => key.length === 1) ? strokes.map(({ key }) => key).join('') : undefined;

/** What a scanner of the layout means by these keys; undefined if it has no such key. */
const readAs = (layout, strokes) => {
  const characters = strokes.map(({ code, shift, altGraph }) => layout[`${altGraph ? '^' : shift ? '+' : ''}${code}`]);
  return characters.includes(undefined) ? undefined : characters.join('');
};
