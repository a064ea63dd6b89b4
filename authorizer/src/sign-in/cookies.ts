// Signing in (RFC 6749, 4.1; OpenID Connect Core, 3.1): the authorization endpoint with its pages, sessions and consent.

/**
 * The cookies of the pages. `__Host-`: only this host over TLS can set them, for all its paths (RFC 6265bis, 4.1.3.2).
 * Lax: they come with the navigation from a client, and not with a form that another site sends.
 */
export const SESSION_COOKIE = '__Host-boxoffice-session';
/** Binds a form to the browser that it was shown in. */
export const BROWSER_COOKIE = '__Host-boxoffice-browser';

const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** `Set-Cookie` for as long as the browser is open. */
export const setCookie = (name: string, value: string): string => `${name}=${value}; ${ATTRIBUTES}`;

/** `Set-Cookie` that removes the cookie. */
export const removeCookie = (name: string): string => `${name}=; Max-Age=0; ${ATTRIBUTES}`;

const VALUE = /^[A-Za-z0-9_-]{43}$/;

/** A well-formed value of the cookie; undefined where it is absent, malformed, or sent twice with different values. */
export const readCookie = (header: string | undefined, name: string): string | undefined => {
  const values = new Set(
    (header ?? '')
      .split(';')
      .map((pair) => pair.trim().split('=', 2))
      .filter(([key]) => key === name)
      .map(([, value = '']) => value),
  );
  const [value] = values;
  return values.size === 1 && value !== undefined && VALUE.test(value) ? value : undefined;
};
