/** Forbids browsers to guess a media type. Name and value. */
export const NO_SNIFFING = ['X-Content-Type-Options', 'nosniff'] as const;

/** RFC 6797: only on answers over TLS. */
export const HSTS = 'Strict-Transport-Security';

/** The value of `Strict-Transport-Security`: undefined omits the header, 0 makes browsers forget it. */
export const hstsOf = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : `max-age=${seconds}`;

/** The security headers of responses without an exchange: health, and requests that the HTTP parser refuses. */
export const securityHeaders = (hsts: string | undefined): Readonly<Record<string, string>> => ({
  [NO_SNIFFING[0]]: NO_SNIFFING[1],
  ...(hsts === undefined ? {} : { [HSTS]: hsts }),
});
