import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { computeContrast, renderStylesheet } from '../../src/shop/look.ts';
import { importShopModule } from './fixture.ts';

const colour = fc.integer({ min: 0, max: 0xff_ff_ff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

/** What the catalog accepts: text is readable on paper. */
const colours = fc
  .record({ accent: colour, ink: colour, paper: colour })
  .filter(({ ink, paper }) => computeContrast(ink, paper) >= 4.5);

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
  expect(computeContrast('#000000', '#ffffff')).toBeCloseTo(21);
  expect(computeContrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  fc.assert(
    fc.property(colours, (chosen) => {
      const { light, dark } = schemes(renderStylesheet(chosen));
      for (const scheme of [light, dark]) {
        for (const [text, ground, least] of PAIRS)
          expect([text, ground, computeContrast(scheme[text] ?? '', scheme[ground] ?? '') >= least]).toEqual([
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
  expect(renderStylesheet(undefined)).toBe('');
});

const { COLOURS, colourOf, shapeOf } = await importShopModule('hall/painter.js');
const css = readFileSync(new URL('../../browser/styles/seats.css', import.meta.url), 'utf8');

/** The colours of a colour scheme: `--hall-…` in the order of the file, light before dark. */
const coloursOf = (scheme: number) => (name: string) =>
  [...css.matchAll(new RegExp(`--hall-${name}: (#[0-9a-f]{6});`, 'g'))][scheme]?.[1] ?? '';

describe.each([
  ['light', 0],
  ['dark', 1],
])('colours of a plan are told apart, %s', (_name, scheme) => {
  const of = coloursOf(scheme);
  const seats = Array.from({ length: COLOURS }, (_, index) => of(`${index + 1}`));

  test('a seat has a contrast of 3:1 to the ground, its number and the texts one of 4.5:1', () => {
    for (const colour of [...seats, of('focus')])
      expect(computeContrast(colour, of('paper'))).toBeGreaterThanOrEqual(3);
    for (const colour of seats) expect(computeContrast(colour, of('on'))).toBeGreaterThanOrEqual(4.5);
    for (const name of ['ink', 'soft']) expect(computeContrast(of(name), of('paper'))).toBeGreaterThanOrEqual(4.5);
  });

  test('each of the first six categories has a colour and a shape of its own; later ones a new pair of them', () => {
    expect(new Set(seats).size).toBe(6);
    const looks = Array.from({ length: 36 }, (_, rank) => `${colourOf(rank)} ${shapeOf(rank)}`);
    expect(new Set(looks).size).toBe(36);
    expect(new Set(looks.slice(0, 6).map((look) => look.slice(2))).size).toBe(6);
  });
});
