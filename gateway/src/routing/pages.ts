import { isBelow, type ServiceName, services } from '../services.ts';
import { type Place, placeOf } from './router.ts';

/** What pages are made of. */
const MEDIA_TYPES: ReadonlySet<string> = new Set([
  'text/html',
  'text/css',
  'text/javascript',
  'text/plain',
  'image/svg+xml',
  'image/png',
  'font/woff2',
]);

/** Makes the look-up of web pages: GET and HEAD of whatever lies below a prefix, whose service says what is there. */
export const pagesOf = (configured: readonly ServiceName[]): ((path: string) => Place | undefined) => {
  const places = configured.flatMap((service) =>
    services[service].pages.map((prefix) => {
      const operation = `${service}Pages`;
      const route = { method: 'GET', template: prefix, operation, service, scope: undefined, mediaTypes: MEDIA_TYPES };
      return { prefix, place: placeOf(new Map([['GET', { ...route, key: operation }]])) };
    }),
  );
  return (path) => places.find(({ prefix }) => isBelow(path, prefix))?.place;
};
