import { correction, generate, mode } from 'lean-qr';
import type { Page } from 'playwright-core';

/** The physical keys of a scanner's layout, by character; `+` is Shift. Letters and digits not listed: US. */
const KEYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'de-CH': {
    ...{ Y: '+KeyZ', Z: '+KeyY', $: 'Backslash', '%': '+Digit5', '*': '+Digit3', '+': '+Digit1', '-': 'Slash' },
    ...{ '/': '+Digit7', ':': '+Period' },
  },
  de: {
    ...{ Y: '+KeyZ', Z: '+KeyY', $: '+Digit4', '%': '+Digit5', '*': '+BracketRight', '+': 'BracketRight' },
    ...{ '-': 'Slash', '/': '+Digit7', ':': '+Period' },
  },
  it: {
    ...{ $: '+Digit4', '%': '+Digit5', '*': '+BracketRight', '+': 'BracketRight' },
    ...{ '-': 'Slash', '/': '+Digit7', ':': '+Period' },
  },
  fr: {
    ...Object.fromEntries([...'0123456789'].map((digit) => [digit, `+Digit${digit}`])),
    ...{ A: '+KeyQ', Q: '+KeyA', Z: '+KeyW', W: '+KeyZ', M: '+Semicolon', $: 'BracketRight', '%': '+Quote' },
    ...{ '*': 'Backslash', '+': '+Equal', '-': 'Digit6', '.': '+Comma', '/': '+Period', ':': 'Period' },
  },
};

const US: Readonly<Record<string, string>> = { ' ': 'Space', '.': 'Period' };

/** What a key is pressed with, as a `KeyboardEvent` has it. */
interface Press {
  readonly key: string;
  readonly code?: string;
  readonly shiftKey?: boolean;
}

/** Types a barcode as a hand scanner of the device's own layout. */
export function scan(page: Page, barcode: string): Promise<void> {
  return typeAtOnce(
    page,
    [...barcode].map((key) => ({ key })),
  );
}

/** Types a text and Enter as fast as a scanner, whatever else the machine does: all keys have one instant. */
const typeAtOnce = async (page: Page, presses: readonly Press[]): Promise<void> => {
  const keys = JSON.stringify([...presses, { key: 'Enter', code: 'Enter' }]);
  await page.evaluate(`{
    const timeStamp = { value: performance.now() };
    for (const key of ${keys}) {
      const event = new KeyboardEvent('keydown', { ...key, bubbles: true, cancelable: true });
      document.body.dispatchEvent(Object.defineProperties(event, { timeStamp }));
    }
  }`);
};

/**
 * Types a barcode as a hand scanner of the layout does on a device with a US keyboard, whose characters are therefore
 * wrong.
 */
export function scanAs(page: Page, layout: string, barcode: string): Promise<void> {
  const presses = [...barcode].map((character): Press => {
    const key = keyOf(layout, character);
    const [code, shiftKey] = [key.replace('+', ''), key.startsWith('+')];
    return { code, shiftKey, key: typedOn(code, shiftKey) };
  });
  return typeAtOnce(page, presses);
}

const keyOf = (layout: string, character: string): string =>
  KEYS[layout]?.[character] ?? US[character] ?? (/\d/.test(character) ? `Digit${character}` : `+Key${character}`);

/** What a device with a US keyboard makes of a key, where the characters of barcodes are. */
const typedOn = (code: string, isShift: boolean): string => {
  const [, name = ''] = /^(?:Key|Digit)(.)$/.exec(code) ?? [];
  return isShift ? name : name.toLowerCase();
};

// What a camera sees at the door: pictures with barcodes, as a film that Chromium plays instead of a camera.

const [WIDTH, HEIGHT] = [640, 480];
const FRAMES_PER_SECOND = 5;
/** Of a module at the usual distance. Pixels. */
const MODULE = 6;
const [WALL, PAPER, INK] = [120, 235, 25];
/** Light modules around a QR code. */
const QUIET = 4;

/** A barcode before the camera. */
export interface Scene {
  /** Without one the wall is seen. */
  readonly barcode?: string;
  readonly seconds: number;
  /** Its size as a share of the usual one. */
  readonly scale?: number;
  /** Degrees. */
  readonly turned?: number;
  /** How far out of focus. Pixels. */
  readonly blurred?: number;
  /** White on black, as a phone in dark mode shows it. */
  readonly inverted?: boolean;
}

// Looked up once: within a test each global name costs more than what is done with it, millions of times.
const { cos, floor, max, sin } = Math;

/** The film of the scenes as YUV4MPEG2, without colours. */
export function renderFilm(scenes: readonly Scene[]): Buffer {
  const colours = new Uint8Array((WIDTH * HEIGHT) / 2).fill(128);
  const frames = scenes.flatMap((scene) => {
    const frame = Buffer.concat([Buffer.from('FRAME\n'), pictureOf(scene), colours]);
    return Array<Buffer>(Math.round(scene.seconds * FRAMES_PER_SECOND)).fill(frame);
  });
  const header = `YUV4MPEG2 W${WIDTH} H${HEIGHT} F${FRAMES_PER_SECOND}:1 Ip A1:1 C420jpeg\n`;
  return Buffer.concat([Buffer.from(header), ...frames]);
}

const pictureOf = (scene: Scene): Uint8Array => {
  const { blurred = 0 } = scene;
  const sharp = draw(scene);
  // Twice in both directions is close to what a lens does.
  return blurred === 0 ? sharp : [1, WIDTH, 1, WIDTH].reduce((picture, step) => smear(picture, blurred, step), sharp);
};

/** The grey of each pixel, averaged over 3 × 3 points of it. */
const draw = ({ barcode, scale = 1, turned = 0, inverted = false }: Scene): Uint8Array => {
  const picture = new Uint8Array(WIDTH * HEIGHT).fill(WALL);
  if (barcode === undefined) return picture;
  const code = generate(barcode, { minCorrectionLevel: correction.M, modes: [mode.alphaNumeric, mode.ascii] });
  const angle = (turned * Math.PI) / 180;
  const [along, across] = [cos(angle) / (MODULE * scale), sin(angle) / (MODULE * scale)];
  const greyAt = (x: number, y: number): number => {
    const column = along * x + across * y + code.size / 2;
    const row = along * y - across * x + code.size / 2;
    const isOnPaper = max(-column, -row, column - code.size, row - code.size) < QUIET;
    if (!isOnPaper) return WALL;
    return code.get(floor(column), floor(row)) !== inverted ? INK : PAPER;
  };
  for (let at = 0; at < picture.length; at += 1) {
    const [left, top] = [(at % WIDTH) - WIDTH / 2, floor(at / WIDTH) - HEIGHT / 2];
    let sum = 0;
    for (let point = 0; point < 9; point += 1)
      sum += greyAt(left + (1 + 2 * (point % 3)) / 6, top + (1 + 2 * floor(point / 3)) / 6);
    picture[at] = sum / 9;
  }
  return picture;
};

/** Averages each pixel with those within `radius`, along the rows or columns, which are `step` apart. */
const smear = (picture: Uint8Array, radius: number, step: number): Uint8Array =>
  picture.map((_, at) => {
    let sum = 0;
    for (let offset = -radius; offset <= radius; offset += 1) sum += picture[at + offset * step] ?? WALL;
    return sum / (2 * radius + 1);
  });
