/** What a site needs beside its own files. */
export interface SiteNeeds {
  /** Directives that its content policy has beside the strict ones, or instead of those of the same name. */
  readonly policy?: Readonly<Record<string, string>>;
  /** Whether it uses the camera. */
  readonly camera?: boolean;
}

/** Only resources of this origin, no inline script or style, no frame around it. */
const POLICY: Readonly<Record<string, string>> = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'font-src': "'self'",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
  'require-trusted-types-for': "'script'",
};

/** The security headers of every answer of a site. */
export const siteHeaders = ({ policy = {}, camera = false }: SiteNeeds = {}): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': Object.entries({ ...POLICY, ...policy })
    .map((directive) => directive.join(' '))
    .join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': `camera=(${camera ? 'self' : ''}), geolocation=(), microphone=(), payment=()`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
});
