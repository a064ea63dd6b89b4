import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { contrast } from '../../src/domain/colours.ts';
import { lookOf } from '../../src/shop/look.ts';

const colour = fc.integer({ min: 0, max: 0xff_ff_ff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

/** What the catalog accepts: text is readable on paper. */
const colours = fc
  .record({ accent: colour, ink: colour, paper: colour })
  .filter(({ ink, paper }) => contrast(ink, paper) >= 4.5);

/** The properties that apply in light and in dark. */
const schemes = (styles: string) => {
  const [light = '', dark = ''] = styles.split('@media');
  const read = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/(--[a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value ?? '']),
    );
  return { light: read(light), dark: { ...read(light), ...read(dark) } };
};

/** Text and its ground; 3 is enough for borders of fields. */
const PAIRS = [
  ['--ink', '--paper', 4.5],
  ['--soft', '--paper', 4.5],
  ['--mark', '--paper', 4.5],
  ['--gold', '--paper', 4.5],
  ['--on-accent', '--accent', 4.5],
  ['--on-accent', '--accent-hover', 4.5],
  ['--glow', '--stage', 4.5],
  ['--strong-line', '--paper', 3],
] as const;

test('whatever the colours of a point of sale, its shop can be read, in light and dark', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  fc.assert(
    fc.property(colours, (chosen) => {
      const { light, dark } = schemes(lookOf(chosen));
      for (const scheme of [light, dark]) {
        for (const [text, ground, least] of PAIRS)
          expect([text, ground, contrast(scheme[text] ?? '', scheme[ground] ?? '') >= least]).toEqual([
            text,
            ground,
            true,
          ]);
      }
    }),
    { numRuns: 300 },
  );
});

test('a point of sale without colours has those of the shop', () => {
  expect(lookOf(undefined)).toBe('');
});
