import type { IncomingMessage } from 'node:http';

const ABSOLUTE = /^https?:\/\/[^/?#]*/i;

/** A target that names no resource of a server (RFC 9112, 3.2.4). */
const NO_PATH = '*';

/** Express routes by paths only. `originalUrl` has what was sent. */
export function useOriginForm(request: IncomingMessage): void {
  const { url = '' } = request;
  if (!url.startsWith('/')) Object.assign(request, { originalUrl: url, url: originForm(url) });
}

/** The origin form of a request target (RFC 9112, 3.2); `*` if it has none. */
const originForm = (target: string): string => {
  if (!ABSOLUTE.test(target)) return NO_PATH;
  const rest = target.replace(ABSOLUTE, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
};
