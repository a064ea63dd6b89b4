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

/** What a key is pressed with, as a `KeyboardEvent` has it. */
interface Press {
  readonly key: string;
  readonly code?: string;
  readonly shiftKey?: boolean;
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

/** Types a barcode as a hand scanner of the device's own layout. */
export const scan = (page: Page, barcode: string): Promise<void> =>
  typeAtOnce(
    page,
    [...barcode].map((key) => ({ key })),
  );

/**
 * Types a barcode as a hand scanner of the layout does on a device with a US keyboard, whose characters are therefore
 * wrong.
 */
export const scanAs = (page: Page, layout: string, barcode: string): Promise<void> => {
  const presses = [...barcode].map((character): Press => {
    const key = keyOf(layout, character);
    const [code, shiftKey] = [key.replace('+', ''), key.startsWith('+')];
    return { code, shiftKey, key: typedOn(code, shiftKey) };
  });
  return typeAtOnce(page, presses);
};
