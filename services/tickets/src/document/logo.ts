import type { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import svgToPdf from 'svg-to-pdfkit';
import type { Picture } from './about.ts';
import { listOwnFiles, readFontFile } from './letters/fonts.ts';
import { startThread } from './thread.ts';

/** Milliseconds for a thread to start, on a busy machine. */
const START_MS = 3_500;
/** Milliseconds that a logo may take then. */
const LOGO_MS = 4_000;

/** First `started`, then the logo; null for one that cannot be drawn. */
export type LogoReply = 'started' | Picture | null;

/**
 * Tries each logo once. An institution has set it, so a thread of its own tries it, and is stopped when that takes
 * long. `limitMs`: from the start of the thread.
 */
export function createLogos(start: (svg: string) => Worker = (svg) => startThread('logo', svg), limitMs = LOGO_MS) {
  const tried = new LRUCache<string, Promise<Picture | null>>({ max: 100, ttl: 60 * 60_000 });
  return (svg: string): Promise<Picture | null> => {
    const known = tried.get(svg);
    if (known) return known;
    const trying = waitForReply(start(svg), limitMs).then((picture) => {
      if (picture === undefined) tried.delete(svg);
      return picture ?? null;
    });
    tried.set(svg, trying);
    return trying;
  };
}

/** Null if the thread fails, or takes too long; undefined if it has not started in time. */
const waitForReply = (thread: Worker, limitMs: number): Promise<Picture | null | undefined> =>
  new Promise<Picture | null | undefined>((resolve) => {
    const end = () => resolve(null);
    let timer = setTimeout(resolve, START_MS, undefined);
    thread.unref();
    thread.on('message', (reply: LogoReply) => {
      if (reply !== 'started') return resolve(reply);
      clearTimeout(timer);
      timer = setTimeout(end, limitMs);
    });
    thread.on('error', end).on('exit', end);
    thread.once('exit', () => clearTimeout(timer));
  }).finally(() => thread.terminate());

const NUMBER = String.raw`\s*([\d.]+(?:e[+-]?\d+)?)`;

/** Reads its view box, else its width and height; undefined without either. */
export function parseProportions(svg: string): Pick<Picture, 'width' | 'height'> | undefined {
  const [root = ''] = /<svg\b[^>]*>/i.exec(svg) ?? [];
  const box = /\bviewBox\s*=\s*["']\s*[-\d.e]+[\s,]+[-\d.e]+[\s,]+([\d.e]+)[\s,]+([\d.e]+)/.exec(root);
  const attribute = (name: string) =>
    new RegExp(String.raw`\s${name}\s*=\s*["']${NUMBER}(?:px)?\s*["']`).exec(root)?.[1];
  const [width, height] = (box ? [box[1], box[2]] : [attribute('width'), attribute('height')]).map(Number);
  return Number(width) > 0 && Number(height) > 0 ? { width: Number(width), height: Number(height) } : undefined;
}

const FONT = 'logo';
const BOLD_FONT = 'logo bold';

/** Logos may use these letters; a document has those that it uses. */
export async function registerLogoFonts(pdf: PDFKit.PDFDocument): Promise<void> {
  const [regular, bold] = await Promise.all(listOwnFiles().map(readFontFile));
  if (!regular || !bold) throw new Error('the fonts of the product are missing');
  pdf.registerFont(FONT, regular).registerFont(BOLD_FONT, bold);
}

/** Draws vectors; `onWarning`: of each part that cannot be drawn. Nothing but the SVG itself is read. */
export function drawLogo(
  pdf: PDFKit.PDFDocument,
  { svg, x, y, width, height }: Picture & { readonly x: number; readonly y: number },
  onWarning: (warning: string) => void = () => {},
): void {
  svgToPdf(pdf, svg, x, y, {
    width,
    height,
    assumePt: true,
    warningCallback: onWarning,
    fontCallback: (_family, bold) => (bold ? BOLD_FONT : FONT),
    imageCallback: (link) => (/^data:image\/(png|jpe?g);/.test(link) ? link : ''),
  });
}
