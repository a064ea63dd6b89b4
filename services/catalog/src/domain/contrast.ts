/** The least contrast of text on its ground (WCAG 2.2, 1.4.3, level AA). */
export const MIN_CONTRAST = 4.5;

const channel = (hex: string): number => {
  const value = Number.parseInt(hex, 16) / 255;
  return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
};

const luminance = (colour: string): number =>
  0.2126 * channel(colour.slice(1, 3)) + 0.7152 * channel(colour.slice(3, 5)) + 0.0722 * channel(colour.slice(5, 7));

/** The contrast ratio of two colours (`#rrggbb`), 1 to 21 (WCAG 2.2). */
export const contrastOf = (one: string, other: string): number => {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (lighter + 0.05) / (darker + 0.05);
};
