import type { PointOfSale } from '../clients/catalog.ts';

/** Whether the pages and mails of a point of sale may show the image: it names its host, also the port of another. */
export function isShownImage(url: string, { imageHosts = [] }: Partial<Pick<PointOfSale, 'imageHosts'>>): boolean {
  return URL.canParse(url) && imageHosts.includes(new URL(url).host);
}
