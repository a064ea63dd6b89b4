// The services that the gateway routes to, of the installation's list of services.
import type { ServiceList, ServiceRow } from '@boxoffice/runtime/services';

/** A service with its address. */
export type Upstream = ServiceRow & { readonly url: string };

/** The addresses of services by name, from settings; they count before those of the list. */
export type ServiceUrls = Readonly<Record<string, string | undefined>>;

/** The present services that have an address, in the order of the list. */
export const upstreamsOf = (list: ServiceList, urls: ServiceUrls): readonly Upstream[] =>
  list.rows().flatMap((row) => {
    const url = urls[row.name] ?? row.url;
    return url === undefined ? [] : [{ ...row, url }];
  });

/** Prefixes of a service's web pages, and whether these have forms, which are sent with POST. */
export const pagesIn = ({ pages }: ServiceRow): readonly { readonly prefix: string; readonly hasForms: boolean }[] =>
  pages.map((page) => ({ prefix: page.replace(/^POST /, ''), hasForms: page.startsWith('POST ') }));
