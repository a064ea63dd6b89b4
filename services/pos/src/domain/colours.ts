// Colours of a point of sale, and those that follow from them with enough contrast (WCAG 2.2).

/** Red, green and blue, 0 to 255. */
type Rgb = readonly [number, number, number];

const parsed = (colour: string): Rgb => {
  const value = Number.parseInt(colour.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
};

const written = (rgb: Rgb): string =>
  `#${rgb
    .map((part) =>
      Math.max(0, Math.min(255, Math.round(part)))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;

/** `#rrggbb` with a share of another one mixed in, 0 to 1. */
export const mixed = (colour: string, other: string, share: number): string => {
  const [one, two] = [parsed(colour), parsed(other)];
  const part = (index: 0 | 1 | 2) => one[index] * (1 - share) + two[index] * share;
  return written([part(0), part(1), part(2)]);
};

const linear = (part: number): number => {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};

const luminance = (colour: string): number => {
  const [red, green, blue] = parsed(colour);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
};

/** The contrast of two colours, 1 to 21. */
export const contrast = (one: string, other: string): number => {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
};

const WHITE = '#ffffff';
const BLACK = '#000000';

/** White or black, whichever is easier to read on the colour. */
export const readableOn = (ground: string): string =>
  contrast(WHITE, ground) >= contrast(BLACK, ground) ? WHITE : BLACK;

/** The colour, mixed with white or black as little as needed for this contrast with every ground. */
export const withContrast = (colour: string, grounds: readonly string[], least: number): string => {
  const [ground = WHITE] = grounds;
  const towards = readableOn(ground);
  for (let step = 0; step < 20; step += 1) {
    const next = mixed(colour, towards, step / 20);
    if (grounds.every((one) => contrast(next, one) >= least)) return next;
  }
  return towards;
};
