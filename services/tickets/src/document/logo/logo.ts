import svgToPdf from 'svg-to-pdfkit';
import type { Picture } from '../brand.ts';
import { contentOf, ownFiles } from '../letters/fonts.ts';

const NUMBER = String.raw`\s*([\d.]+(?:e[+-]?\d+)?)`;

/** The proportions of an SVG: those of its view box, else of its width and height; undefined without either. */
export const proportionsOf = (svg: string): Pick<Picture, 'width' | 'height'> | undefined => {
  const [root = ''] = /<svg\b[^>]*>/i.exec(svg) ?? [];
  const box = /\bviewBox\s*=\s*["']\s*[-\d.e]+[\s,]+[-\d.e]+[\s,]+([\d.e]+)[\s,]+([\d.e]+)/.exec(root);
  const attribute = (name: string) =>
    new RegExp(String.raw`\s${name}\s*=\s*["']${NUMBER}(?:px)?\s*["']`).exec(root)?.[1];
  const [width, height] = (box ? [box[1], box[2]] : [attribute('width'), attribute('height')]).map(Number);
  return Number(width) > 0 && Number(height) > 0 ? { width: Number(width), height: Number(height) } : undefined;
};

const FONT = 'logo';
const BOLD_FONT = 'logo bold';

/** Makes the product's fonts known for the letters of logos; a document has those that it uses. */
export const registerLogoFonts = async (pdf: PDFKit.PDFDocument): Promise<void> => {
  const [regular, bold] = await Promise.all(ownFiles().map(contentOf));
  if (!regular || !bold) throw new Error('the fonts of the product are missing');
  pdf.registerFont(FONT, regular).registerFont(BOLD_FONT, bold);
};

/** Draws a logo as vectors; `onWarning`: of each part that cannot be drawn. Nothing but the SVG itself is read. */
export const drawLogo = (
  pdf: PDFKit.PDFDocument,
  { svg, x, y, width, height }: Picture & { readonly x: number; readonly y: number },
  onWarning: (warning: string) => void = () => {},
): void => {
  svgToPdf(pdf, svg, x, y, {
    width,
    height,
    assumePt: true,
    warningCallback: onWarning,
    fontCallback: (_family, bold) => (bold ? BOLD_FONT : FONT),
    imageCallback: (link) => (/^data:image\/(png|jpe?g);/.test(link) ? link : ''),
  });
};
