import { describe, expect, test } from '@jest/globals';
import { importDoorModule } from './phones.ts';

// Keyboards as they are printed: what each key types, on US, German, Swiss German, French and Italian keyboards.

/** A key that is pressed: its place, what the device makes of it, and the modifiers. */
interface Stroke {
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
  de: [
    ['^1234567890ß´', 'qwertzuiopü+', 'asdfghjklöä#', 'yxcvbnm,.-', ' '],
    ['°!"§$%&/()=?`', 'QWERTZUIOPÜ*', "ASDFGHJKLÖÄ'", 'YXCVBNM;:_', ' '],
  ],
  'de-CH': [
    ["§1234567890'^", 'qwertzuiopü¨', 'asdfghjklöä$', 'yxcvbnm,.-', ' '],
    ['°+"*ç%&/()=?`', 'QWERTZUIOPè!', 'ASDFGHJKLéà£', 'YXCVBNM;:_', ' '],
  ],
  fr: [
    ['²&é"\'(-è_çà)=', 'azertyuiop^$', 'qsdfghjklmù*', 'wxcvbn,;:!', ' '],
    ['\u00001234567890°+', 'AZERTYUIOP¨£', 'QSDFGHJKLM%µ', 'WXCVBN?./§', ' '],
  ],
  it: [
    ["\\1234567890'ì", 'qwertyuiopè+', 'asdfghjklòàù', 'zxcvbnm,.-', ' '],
    ['|!"£$%&/()=?^', 'QWERTYUIOPé*', 'ASDFGHJKLç°§', 'ZXCVBNM;:_', ' '],
  ],
} as const;

/** Where `]` is with AltGr. */
const ALT_GRAPH = { us: undefined, de: 'Digit9', 'de-CH': 'BracketRight', fr: 'Minus', it: 'BracketRight' } as const;

type Layout = keyof typeof ROWS;

const LAYOUTS = Object.keys(ROWS) as Layout[];

/** Keys that wait for the next letter. */
const DEAD = ['¨', '^', '`', '´'];

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
const type = (text: string, { scanner, device }: Record<'scanner' | 'device', Layout>): Stroke[] =>
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

const { readings } = await importDoorModule('layouts.js');
const { listen } = await importDoorModule('hand-scanner.js');

const pairs = LAYOUTS.flatMap((scanner) => LAYOUTS.map((device): [Layout, Layout] => [scanner, device]));

/** Every character of Base45 (RFC 9285), and of the longer form, a JWS. */
const BASE45 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';
const JWS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ.abcdefghijklmnopqrstuvwxyz_0123456789-';

describe('the keys of a hand scanner become the barcode', () => {
  describe.each(pairs)('a scanner with %s, a device with %s', (scanner, device) => {
    test.each([BASE45, JWS, `]Q1${BASE45}`])('%s', (text) => {
      expect(readings(type(text, { scanner, device }))).toContain(text);
    });

    test('also with Caps Lock on the device', () => {
      const strokes = type(BASE45, { scanner, device }).map((stroke) => ({ ...stroke, key: stroke.key.toLowerCase() }));
      expect(readings(strokes)).toContain(BASE45);
    });
  });

  test('where the layouts are the same, it is the first reading', () => {
    for (const layout of LAYOUTS) expect(readings(type(BASE45, { scanner: layout, device: layout }))[0]).toBe(BASE45);
  });

  test('what the device types alone is wrong', () => {
    const wrong = pairs.filter(([scanner, device]) => {
      const typed = type(BASE45, { scanner, device }).map(({ key }) => key);
      return typed.join('') !== BASE45;
    });
    expect(wrong).toHaveLength(LAYOUTS.length * (LAYOUTS.length - 1));
  });

  test('the keypad types digits on every layout', () => {
    const strokes = [...'20261126'].map((digit) => ({
      code: `Numpad${digit}`,
      key: digit,
      shift: false,
      altGraph: false,
    }));
    expect(readings(strokes)).toEqual(['20261126']);
  });
});

/** A page, or a field of it, on which keys are pressed, so many milliseconds after each other. */
const openPage = (field: object = {}) => {
  const page = Object.assign(new EventTarget(), field);
  const scans: string[][] = [];
  const stop = listen((text: string, candidates: string[]) => scans.push([text, ...candidates]), { target: page });
  let timeStamp = 1_000;
  const press = (stroke: Partial<Stroke> & { readonly key: string; readonly ctrl?: boolean }, gap = 5) => {
    timeStamp += gap;
    const { code = '', key, shift = false, altGraph = false, ctrl = false } = stroke;
    const event = new Event('keydown', { cancelable: true });
    const members = {
      code,
      key,
      shiftKey: shift,
      ctrlKey: ctrl,
      altKey: false,
      metaKey: false,
      repeat: false,
      timeStamp,
    };
    for (const [name, value] of Object.entries({ ...members, getModifierState: () => altGraph }))
      Object.defineProperty(event, name, { value });
    page.dispatchEvent(event);
    return event.defaultPrevented;
  };
  return { page, press, scans, stop };
};

const strokes = type('NCFOXN', { scanner: 'us', device: 'us' });

describe('a sequence of keys is a scan', () => {
  test.each([
    ['Enter', { code: 'Enter', key: 'Enter' }],
    ['Enter of the keypad', { code: 'NumpadEnter', key: 'Enter' }],
    ['Tab', { code: 'Tab', key: 'Tab' }],
    ['a line feed as a control character', { code: 'KeyJ', key: 'j', ctrl: true }],
  ])('that ends with %s', (_, end) => {
    const { press, scans, stop } = openPage();
    for (const stroke of type('ABC 123', { scanner: 'us', device: 'us' })) press(stroke);
    expect(press({ code: 'ShiftLeft', key: 'Shift' })).toBe(false);
    press({ code: 'Slash', key: '/' });
    expect(press(end)).toBe(true);
    expect(scans.map(([text]) => text)).toEqual(['ABC 123/']);
    stop();
  });

  test('that is long, also without an end', async () => {
    const { press, scans, stop } = openPage();
    for (const stroke of type('A1'.repeat(75), { scanner: 'de-CH', device: 'fr' })) press(stroke);
    while (scans.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(scans[0]).toContain('A1'.repeat(75));
    stop();
  });

  test('not what a person types, nor a short one, nor shortcuts', () => {
    const { press, scans, stop } = openPage();
    for (const stroke of type('TIC 12345', { scanner: 'us', device: 'us' })) expect(press(stroke, 120)).toBe(false);
    expect(press({ code: 'Enter', key: 'Enter' }, 120)).toBe(false);
    for (const stroke of strokes) press(stroke);
    expect(press({ code: 'Enter', key: 'Enter' })).toBe(false);
    expect(press({ code: 'KeyR', key: 'r', ctrl: true }, 200)).toBe(false);
    expect(scans).toEqual([]);
    stop();
  });

  test('its spaces and slashes reach no button of the page', () => {
    const { press, stop } = openPage();
    expect([
      press({ code: 'KeyA', key: 'A' }),
      press({ code: 'Space', key: ' ' }),
      press({ code: 'Slash', key: '/' }),
    ]).toEqual([false, true, true]);
    stop();
  });

  test('a field that has the focus gets back what it had, and takes what a person types', () => {
    const { page, press, scans, stop } = openPage({ tagName: 'INPUT', value: 'tic_' });
    for (const stroke of type('ABCDEFGH', { scanner: 'us', device: 'us' })) {
      expect(press(stroke)).toBe(false);
      Object.assign(page, { value: `${Reflect.get(page, 'value')}${stroke.key}` });
    }
    press({ code: 'Enter', key: 'Enter' });
    expect([scans.length, Reflect.get(page, 'value')]).toEqual([1, 'tic_']);
    for (const stroke of type('ABCDEFGH', { scanner: 'us', device: 'us' })) press(stroke, 90);
    expect(press({ code: 'Enter', key: 'Enter' }, 90)).toBe(false);
    expect(scans).toHaveLength(1);
    stop();
  });

  test('also where single keys are late, as on a busy device', () => {
    const { press, scans, stop } = openPage();
    for (const [at, stroke] of type('ABCDEFGHIJKLMNOPQRST', { scanner: 'us', device: 'us' }).entries())
      press(stroke, at === 7 ? 250 : 5);
    press({ code: 'Enter', key: 'Enter' });
    expect(scans.map(([text]) => text)).toEqual(['ABCDEFGHIJKLMNOPQRST']);
    stop();
  });

  test('nothing after listening has ended', () => {
    const { press, scans, stop } = openPage();
    stop();
    for (const stroke of type('ABCDEFGH', { scanner: 'us', device: 'us' })) press(stroke);
    press({ code: 'Enter', key: 'Enter' });
    expect(scans).toEqual([]);
  });
});

const { createSights, pictureSize } = await importDoorModule('camera.js');

describe('a code before the camera is one scan', () => {
  test('until it was out of the picture for three seconds', () => {
    const isNew = createSights();
    const seen = [0, 100, 2_900, 5_800, 8_800, 8_900].map((at) => isNew('A', at));
    expect(seen).toEqual([true, false, false, false, true, false]);
  });

  test('whichever other codes are seen meanwhile', () => {
    const isNew = createSights();
    expect(['A', 'B', 'A', 'C', 'B'].map((text, at) => isNew(text, at * 500))).toEqual([
      true,
      true,
      false,
      true,
      false,
    ]);
  });

  test.each([
    [1280, 720, 960, 540],
    [720, 1280, 540, 960],
    [640, 480, 640, 480],
    [4032, 3024, 960, 720],
  ])('a picture of %d × %d pixels is decoded with %d × %d', (videoWidth, videoHeight, width, height) => {
    expect(pictureSize({ videoWidth, videoHeight })).toEqual({ width, height });
  });
});
