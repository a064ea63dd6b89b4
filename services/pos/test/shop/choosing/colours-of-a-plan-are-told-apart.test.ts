import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { shopModule } from './shop-module.ts';

const { COLOURS, colourOf, shapeOf } = await shopModule('hall/painter.js');
const css = readFileSync(new URL('../../../shop/styles/seats.css', import.meta.url), 'utf8');

/** The colours of a colour scheme: `--hall-…` in the order of the file, light before dark. */
const colours = (scheme: number) => (name: string) =>
  [...css.matchAll(new RegExp(`--hall-${name}: (#[0-9a-f]{6});`, 'g'))][scheme]?.[1] ?? '';

const linear = (hex: string): number[] =>
  [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });

const luminance = (hex: string): number =>
  linear(hex).reduce((sum, value, index) => sum + value * ([0.2126, 0.7152, 0.0722][index] ?? 0), 0);

/** WCAG 2.2, 1.4.3. */
const contrast = (a: string, b: string): number => {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};

describe.each([
  ['light', 0],
  ['dark', 1],
])('colours of a plan are told apart, %s', (_name, scheme) => {
  const of = colours(scheme);
  const seats = Array.from({ length: COLOURS }, (_, index) => of(`${index + 1}`));

  test('a seat has a contrast of 3:1 to the ground, its number and the texts one of 4.5:1', () => {
    for (const colour of [...seats, of('focus')]) expect(contrast(colour, of('paper'))).toBeGreaterThanOrEqual(3);
    for (const colour of seats) expect(contrast(colour, of('on'))).toBeGreaterThanOrEqual(4.5);
    for (const name of ['ink', 'soft']) expect(contrast(of(name), of('paper'))).toBeGreaterThanOrEqual(4.5);
  });

  test('each of the first six categories has a colour and a shape of its own; later ones a new pair of them', () => {
    expect(new Set(seats).size).toBe(6);
    const looks = Array.from({ length: 36 }, (_, rank) => `${colourOf(rank)} ${shapeOf(rank)}`);
    expect(new Set(looks).size).toBe(36);
    expect(new Set(looks.slice(0, 6).map((look) => look.slice(2))).size).toBe(6);
  });
});
