import type { PointOfSale } from '../clients/catalog.ts';

/** 0 to 255. */
type Rgb = readonly [number, number, number];

/** 1 to 21 (WCAG 2.2). */
export function computeContrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

const luminance = (colour: string): number => {
  const [red, green, blue] = parseColour(colour);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
};

const parseColour = (colour: string): Rgb => {
  const value = Number.parseInt(colour.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
};

const linear = (part: number): number => {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};

const WHITE = '#ffffff';
const BLACK = '#000000';

/** Each `#rrggbb`. */
type Colours = NonNullable<PointOfSale['branding']>['colours'];

const TEXT = 4.5;
const BORDER = 3;

type Properties = Readonly<Record<string, string>>;

/** Colours for light and dark; empty for those of the shop itself. */
export function renderStylesheet(colours: Colours | undefined): string {
  if (!colours) return '';
  const inDark = `@media (prefers-color-scheme: dark) {\n${renderRule(dark(colours))}}\n`;
  return renderRule({ ...always(colours), ...light(colours) }) + inDark;
}

const renderRule = (properties: Properties): string => {
  const lines = Object.entries(properties).map(([name, value]) => `  ${name}: ${value};\n`);
  return `:root {\n${lines.join('')}}\n`;
};

/** Colours of buttons and of the header, which is dark in both. */
const always = ({ accent, ink, paper }: Colours): Properties => {
  const [low] = sortByLight(ink, paper);
  const stage = mixColours(low, BLACK, 0.45);
  const onAccent = readableOn(accent);
  return {
    '--accent': accent,
    '--on-accent': onAccent,
    // Away from the text on it, so that its contrast grows.
    '--accent-hover': mixColours(accent, onAccent === WHITE ? BLACK : WHITE, 0.18),
    '--stage': stage,
    '--stage-glow': mixColours(stage, accent, 0.4),
    '--glow': withContrast(mixColours(accent, WHITE, 0.5), [stage, mixColours(stage, accent, 0.4)], 7),
  };
};

const sortByLight = (ink: string, paper: string): [string, string] =>
  luminance(ink) < luminance(paper) ? [ink, paper] : [paper, ink];

/** `share` is 0 to 1. */
const mixColours = (colour: string, other: string, share: number): string => {
  const [one, two] = [parseColour(colour), parseColour(other)];
  const mixed = one.map((part, index) => Math.round(part * (1 - share) + (two[index] ?? 0) * share));
  return `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
};

/** Whichever is easier to read on the colour. */
const readableOn = (ground: string): string =>
  computeContrast(WHITE, ground) >= computeContrast(BLACK, ground) ? WHITE : BLACK;

/** Mixes white or black in, as little as needed for this contrast with every ground. */
const withContrast = (colour: string, grounds: readonly string[], least: number): string => {
  const [ground = WHITE] = grounds;
  const towards = readableOn(ground);
  for (let step = 0; step < 20; step += 1) {
    const next = mixColours(colour, towards, step / 20);
    if (grounds.every((one) => computeContrast(next, one) >= least)) return next;
  }
  return towards;
};

const light = ({ accent, ink, paper }: Colours): Properties => ({
  ...surfaces(ink, paper),
  '--raised': mixColours(paper, WHITE, 0.7),
  '--mark': withContrast(accent, [paper, mixColours(paper, ink, 0.05)], TEXT),
  '--gold': withContrast(accent, [paper, mixColours(paper, ink, 0.05)], TEXT),
});

/** The names are the same in light and dark. */
const surfaces = (ink: string, paper: string): Properties => ({
  '--paper': paper,
  '--ink': ink,
  '--tint': mixColours(paper, ink, 0.05),
  '--soft': withContrast(mixColours(ink, paper, 0.3), [paper, mixColours(paper, ink, 0.05)], TEXT),
  '--line': mixColours(paper, ink, 0.14),
  '--strong-line': withContrast(mixColours(ink, paper, 0.5), [paper], BORDER),
});

/** The darker of ink and paper, darkened, as paper; the lighter one as ink. */
const dark = ({ accent, ink, paper }: Colours): Properties => {
  const [low, high] = sortByLight(ink, paper);
  const night = mixColours(low, BLACK, 0.55);
  const tint = mixColours(night, high, 0.05);
  return {
    ...surfaces(withContrast(high, [night, tint], 7), night),
    '--raised': mixColours(night, high, 0.06),
    '--mark': withContrast(accent, [night, tint], TEXT),
    '--gold': withContrast(accent, [night, tint], TEXT),
  };
};

/** In the header, in pixels. */
export const LOGO_HEIGHT = 32;

/** A percentage is no length. */
const LENGTH = /^(\d+(?:\.\d+)?|\.\d+)\s*([a-z]*)$/i;

const VIEW_BOX = /^[-+\d.e]+[\s,]+[-+\d.e]+[\s,]+(\d+(?:\.\d+)?|\.\d+)[\s,]+(\d+(?:\.\d+)?|\.\d+)$/i;

/**
 * Pixels at {@link LOGO_HEIGHT}, so that its place is kept; undefined if the image says nothing of it. A size of more
 * than 60 characters is ignored: it would keep the event loop.
 */
export function computeLogoWidth(svg: string): number | undefined {
  const [root = ''] = /<svg\b[^>]*>/.exec(svg) ?? [];
  const attribute = (name: string): string =>
    new RegExp(`\\s${name}\\s{0,9}=\\s{0,9}["']([^"']{0,60})["']`).exec(root)?.[1]?.trim() ?? '';
  const [width, height] = [LENGTH.exec(attribute('width')), LENGTH.exec(attribute('height'))];
  const [, boxWidth, boxHeight] = VIEW_BOX.exec(attribute('viewBox')) ?? [];
  const isSized = width && height && width[2] === height[2];
  const ratio = isSized ? Number(width[1]) / Number(height[1]) : Number(boxWidth) / Number(boxHeight);
  const pixels = Math.round(LOGO_HEIGHT * ratio);
  return Number.isFinite(pixels) && pixels > 0 ? pixels : undefined;
}
