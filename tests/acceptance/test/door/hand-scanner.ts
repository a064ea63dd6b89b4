import type { Page } from 'playwright-core';

/** The physical keys of a scanner's layout, by character; `+` is Shift. Letters and digits not listed: US. */
const KEYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'de-CH': {
    ...{ Y: '+KeyZ', Z: '+KeyY', $: 'Backslash', '%': '+Digit5', '*': '+Digit3', '+': '+Digit1', '-': 'Slash' },
    ...{ '/': '+Digit7', ':': '+Period' },
  },
  fr: {
    ...Object.fromEntries([...'0123456789'].map((digit) => [digit, `+Digit${digit}`])),
    ...{ A: '+KeyQ', Q: '+KeyA', Z: '+KeyW', W: '+KeyZ', M: '+Semicolon', $: 'BracketRight', '%': '+Quote' },
    ...{ '*': 'Backslash', '+': '+Equal', '-': 'Digit6', '.': '+Comma', '/': '+Period', ':': 'Period' },
  },
};

const US: Readonly<Record<string, string>> = { ' ': 'Space', '.': 'Period' };

const keyOf = (layout: string, character: string): string =>
  KEYS[layout]?.[character] ?? US[character] ?? (/\d/.test(character) ? `Digit${character}` : `+Key${character}`);

/** What a device with a US keyboard makes of a key, where the characters of barcodes are. */
const typedOn = (code: string, isShift: boolean): string => {
  const [, name = ''] = /^(?:Key|Digit)(.)$/.exec(code) ?? [];
  return isShift ? name : name.toLowerCase();
};

/** Seconds from key to key. */
const GAP = 0.004;

/**
 * Types a barcode as a hand scanner of the layout does on a device with a US keyboard, whose characters are therefore
 * wrong.
 */
export const scanAs = async (page: Page, layout: string, barcode: string): Promise<void> => {
  const devtools = await page.context().newCDPSession(page);
  const begun = Date.now() / 1000;
  const keys = [...[...barcode].map((character) => keyOf(layout, character)), 'Enter'];
  const presses = keys.map((key, index) => {
    const [code, isShift] = [key.replace('+', ''), key.startsWith('+')];
    return devtools.send('Input.dispatchKeyEvent', {
      type: 'rawKeyDown',
      code,
      key: key === 'Enter' ? key : typedOn(code, isShift),
      modifiers: isShift ? 8 : 0,
      timestamp: begun + index * GAP,
    });
  });
  await Promise.all(presses);
};
