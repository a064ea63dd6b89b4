import { parentPort, workerData } from 'node:worker_threads';
import PdfDocument from 'pdfkit';
import type { Picture } from './about.ts';
import type { LogoReply } from './logo.ts';
import { drawLogo, parseProportions, registerLogoFonts } from './logo.ts';

/** Parts of an SVG that refer to one another multiply, on each page of a document. */
const MOST_BYTES = 100_000;

/** Null for a logo that cannot be drawn with all its parts. */
const tryOut = async (svg: string): Promise<Picture | null> => {
  const proportions = parseProportions(svg);
  if (!proportions) return null;
  const picture = { svg, ...proportions };
  const pdf = new PdfDocument({ compress: false });
  await registerLogoFonts(pdf);
  const warnings: string[] = [];
  drawLogo(pdf, { ...picture, x: 0, y: 0, width: 150, height: 32 }, (warning) => warnings.push(warning));
  return warnings.length > 0 || pdf.page.content.uncompressedLength > MOST_BYTES ? null : picture;
};

const say = (reply: LogoReply): void => parentPort?.postMessage(reply);

say('started');
say(await tryOut(String(workerData)).catch(() => null));
