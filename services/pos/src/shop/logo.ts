/** The height of the logo in the header, in pixels. */
export const LOGO_HEIGHT = 32;

/** A number, with a unit or without; no share of something else. */
const LENGTH = /^(\d+(?:\.\d+)?|\.\d+)\s*([a-z]*)$/i;

const VIEW_BOX = /^[-+\d.e]+[\s,]+[-+\d.e]+[\s,]+(\d+(?:\.\d+)?|\.\d+)[\s,]+(\d+(?:\.\d+)?|\.\d+)$/i;

/**
 * The width of an SVG image in pixels where it is {@link LOGO_HEIGHT} high, so that its place is kept until it has come;
 * undefined if the image says nothing of it. A size of more than 60 characters is none: it would keep the event loop.
 */
export const logoWidth = (svg: string): number | undefined => {
  const [root = ''] = /<svg\b[^>]*>/.exec(svg) ?? [];
  const attribute = (name: string): string =>
    new RegExp(`\\s${name}\\s{0,9}=\\s{0,9}["']([^"']{0,60})["']`).exec(root)?.[1]?.trim() ?? '';
  const [width, height] = [LENGTH.exec(attribute('width')), LENGTH.exec(attribute('height'))];
  const [, boxWidth, boxHeight] = VIEW_BOX.exec(attribute('viewBox')) ?? [];
  const isSized = width && height && width[2] === height[2];
  const ratio = isSized ? Number(width[1]) / Number(height[1]) : Number(boxWidth) / Number(boxHeight);
  const pixels = Math.round(LOGO_HEIGHT * ratio);
  return Number.isFinite(pixels) && pixels > 0 ? pixels : undefined;
};
