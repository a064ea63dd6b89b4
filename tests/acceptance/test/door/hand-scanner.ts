import type { Page } from 'playwright-core';

/** The physical keys of a US keyboard for the characters of barcodes, but letters and digits; `+` is Shift. */
const KEYS: Readonly<Record<string, string>> = {
  ...{ ' ': 'Space', $: '+Digit4', '%': '+Digit5', '*': '+Digit8', '+': '+Equal', '-': 'Minus', '.': 'Period' },
  ...{ '/': 'Slash', ':': '+Semicolon' },
};

const keyOf = (character: string): string =>
  KEYS[character] ?? (/\d/.test(character) ? `Digit${character}` : `+Key${character}`);

/**
 * Types a barcode and Enter as a hand scanner does, as fast whatever else the machine does: all keys have one instant.
 * `isGarbled`: the device makes other characters of the keys.
 */
export const scan = async (page: Page, barcode: string, { isGarbled = false } = {}): Promise<void> => {
  const presses = [...barcode].map((character) => {
    if (!isGarbled) return { key: character };
    const key = keyOf(character);
    return { key: '?', code: key.replace('+', ''), shiftKey: key.startsWith('+') };
  });
  const keys = JSON.stringify([...presses, { key: 'Enter', code: 'Enter' }]);
  await page.evaluate(`{
    const timeStamp = { value: performance.now() };
    for (const key of ${keys}) {
      const event = new KeyboardEvent('keydown', { ...key, bubbles: true, cancelable: true });
      document.body.dispatchEvent(Object.defineProperties(event, { timeStamp }));
    }
  }`);
};
