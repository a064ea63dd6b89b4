// Addresses of the web that requests register, each in one pattern: what it allows, a URL parser reads alike.
import { Type } from 'typebox';
import { NORMALISE } from './validation/ajv.ts';

const BYTE = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const NAME = '([A-Za-z0-9_-]+[.])*[A-Za-z][A-Za-z0-9-]*';
const GROUP = '[0-9A-Fa-f]{1,4}';
/** Eight groups, or fewer around one `::` (RFC 4291, 2.2). */
const IPV6 = [
  `(${GROUP}:){7}${GROUP}`,
  `(${GROUP}:){1,7}:`,
  `:(:${GROUP}){1,7}`,
  '::',
  ...[1, 2, 3, 4, 5, 6].map((after) => `(${GROUP}:){1,${7 - after}}(:${GROUP}){${after}}`),
].join('|');
const PORT = '(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?';
const HOST = `(${NAME}|(${BYTE}[.]){3}${BYTE}|\\[(${IPV6})\\])`;
/** Of apps in a web view: `capacitor://localhost`, `ionic://localhost`, `tauri://localhost`. */
const APP = '[a-z][a-z0-9+.-]*://localhost';
const SECURE = `(https://${HOST}|http://(127[.]0[.]0[.]1|\\[::1\\]|localhost))${PORT}`;

/** Visible ASCII without the characters that parsers read differently or that a URI cannot contain (RFC 3986, 2). */
const CHARACTERS = '!$-;=?-\\[\\]_a-z~';
/** A reversed domain name as scheme, so with a dot (RFC 8252, 7.1), and no userinfo. */
const PRIVATE_USE =
  '[a-z][a-z0-9+-]*([.][a-z0-9+-]+)+:' +
  `(//[A-Za-z0-9._-]+([/?][${CHARACTERS}]*)?|/?[${CHARACTERS.replace('$-;', '$-.0-;')}][${CHARACTERS}]*)`;

/** The pattern of a web origin: an ASCII host name or an IP address, without a path. */
export const ORIGIN_PATTERN = `^https?://${HOST}${PORT}$`;

/** The same where only https will do, or http to a loopback host; or that of an app. */
export const SECURE_ORIGIN_PATTERN = `^(${SECURE}|${APP})$`;

const PAGE = `https://${HOST}${PORT}([/?][${CHARACTERS}]*)?(#[${CHARACTERS}]*)?`;

/** The same where only https will do. */
const HTTPS_ORIGIN_PATTERN = `^https://${HOST}${PORT}$`;

const WEB_HOST_PATTERN = `^${NAME}${PORT}$`;

const PAGE_PATTERN = `^${PAGE}$`;

/** The same, or the address of a mailbox (RFC 6068), without headers. */
export const PAGE_OR_MAILBOX_PATTERN = `^(${PAGE}|mailto:[A-Za-z0-9._+-]+@${NAME})$`;

/** The pattern of a redirect URI (RFC 6749, 3.1.2; RFC 8252, 7; RFC 9700, 2.1). */
export const REDIRECT_URI_PATTERN = `^(${SECURE}([/?][${CHARACTERS}]*)?|${PRIVATE_USE})$`;

export const WEB_ADDRESSES: Readonly<Record<string, string>> = {
  [ORIGIN_PATTERN]: 'must be a web origin, such as https://www.example.org, without a path',
  [SECURE_ORIGIN_PATTERN]:
    'must be a web origin of https, such as https://www.example.org, or of http to 127.0.0.1, [::1] or localhost, ' +
    'or of an app, such as capacitor://localhost',
  [HTTPS_ORIGIN_PATTERN]: 'must be a web origin of https, such as https://www.example.org, without a path',
  [WEB_HOST_PATTERN]: 'must be the name of a host, such as images.example.org, perhaps with a port',
  [PAGE_PATTERN]: 'must be an address of https, such as https://www.example.org/terms',
  [PAGE_OR_MAILBOX_PATTERN]:
    'must be an address of https, such as https://www.example.org/contact, or mailto: and an email address',
  [REDIRECT_URI_PATTERN]:
    'must be https, or http to 127.0.0.1, [::1] or localhost, or of a public client a private-use scheme with a dot; ' +
    'without userinfo and fragment',
};

/** The origin of web pages (RFC 6454), stored as browsers send it. */
export const webOrigin = Type.String({ maxLength: 300, pattern: ORIGIN_PATTERN, [NORMALISE]: 'origin' });

export const secureOrigin = Type.String({ maxLength: 300, pattern: SECURE_ORIGIN_PATTERN, [NORMALISE]: 'origin' });

/** As {@link webOrigin}, of https. */
export const httpsOrigin = Type.String({ maxLength: 300, pattern: HTTPS_ORIGIN_PATTERN, [NORMALISE]: 'origin' });

/** The host of addresses of https, with its port if that is another than 443; stored in lower case. */
export const webHost = Type.String({ maxLength: 260, pattern: WEB_HOST_PATTERN, [NORMALISE]: 'host' });

export const webAddress = Type.String({ maxLength: 500, pattern: PAGE_PATTERN, description: 'of https' });

export const webOrMailAddress = Type.String({
  maxLength: 500,
  pattern: PAGE_OR_MAILBOX_PATTERN,
  description: 'of https, or `mailto:` and an email address',
});
