import { qualityOf } from '@boxoffice/http';
import { DOCS } from '../documentation/guides.ts';
import { services } from '../services.ts';

const paths = [DOCS, ...Object.values(services).flatMap(({ forms }): readonly string[] => forms)];

const PAGE = new RegExp(`^(?:https?://[^/?#]*)?(?:${paths.join('|')})(?:[/?#]|$)`);

/**
 * Whether browsers are led to this address, so that its errors are pages. `url` is the raw request target, because
 * requests can be refused before it is parsed.
 */
export const isPage = (url: string | undefined): boolean => PAGE.test(url ?? '');

/** Whether an Accept header prefers HTML to JSON, as those of browsers do and those of programs do not. */
export const acceptsHtml = (accept = ''): boolean => {
  const quality = qualityOf(accept, 'text/html');
  return quality > 0 && quality >= qualityOf(accept, 'application/json');
};
