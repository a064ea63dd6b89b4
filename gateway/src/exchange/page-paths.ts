import { DOCS } from '../documentation/guides.ts';
import { services } from '../services.ts';

const paths = [DOCS, ...Object.values(services).flatMap(({ forms }): readonly string[] => forms)];

const PAGE = new RegExp(`^(?:https?://[^/?#]*)?(?:${paths.join('|')})(?:[/?#]|$)`);

/**
 * Whether browsers are led to this address, so that its errors are pages. `url` is the raw request target, because
 * requests can be refused before it is parsed.
 */
export const isPage = (url: string | undefined): boolean => PAGE.test(url ?? '');

const HTML = /(?:^|[,\s])text\/html(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/** Whether an Accept header asks for HTML, as those of browsers do and those of programs do not. */
export const acceptsHtml = (accept = ''): boolean => HTML.test(accept);
