import type { KeyObject } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import jwt from 'jsonwebtoken';
import { type Caller, type CallerUser, IDENTITY_LIFETIME_SECONDS, type IdentityVerifier, readUser } from './caller.ts';
import type { KeySet } from './key-set.ts';
import { createTokenVerifier, signJws } from './signed-token.ts';

/** The `iss` of identity tokens. They never leave the installation, so it is a name and no address. */
const IDENTITY_ISSUER = 'boxoffice-authorizer';

/** The `typ` of identity tokens, so that no access token passes for one (RFC 8725, 3.11). */
const IDENTITY_TYPE = 'identity+jwt';

/** A private ES256 key and the id under which its public half is published. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

type Optional = 'user' | 'bounds' | 'isPublic';

/**
 * The caller of an identity token to sign; without the optional members it is a client without bounds, or a service.
 */
export type SignedCaller = Omit<Caller, Optional> & Partial<Pick<Caller, Optional>>;

export interface IdentityTokenOptions {
  /** The service that the token is for. */
  readonly audience: string;
  readonly caller: SignedCaller;
  /** Epoch seconds. */
  readonly issuedAt: number;
  /** Seconds, at most IDENTITY_LIFETIME_SECONDS. */
  readonly lifetime?: number;
}

/** Signs an identity token. Verifiers accept the authorizer's keys only. */
export function signIdentity(key: SigningKey, options: IdentityTokenOptions): string {
  const { audience, caller, issuedAt, lifetime = IDENTITY_LIFETIME_SECONDS } = options;
  const claims = {
    iss: IDENTITY_ISSUER,
    aud: audience,
    institution: caller.institution,
    ...callerClaims(caller),
    scope: caller.scopes.join(' '),
    operation: caller.operation,
    iat: issuedAt,
    exp: issuedAt + Math.min(lifetime, IDENTITY_LIFETIME_SECONDS),
  };
  return signJws(JSON.stringify(claims), { type: IDENTITY_TYPE, kid: key.kid }, key.privateKey);
}

/**
 * The claims that name the caller. A user's client is named within `user`, and a client with bounds within `bounded`,
 * so that a verifier that knows no users, or no bounds, finds no client and refuses the token, instead of showing the
 * whole institution.
 */
const callerClaims = ({ client, service, user = null, bounds = null, isPublic = false }: SignedCaller) => ({
  ...(bounds === null
    ? clientClaim(client, user)
    : {
        bounded: {
          ...clientClaim(client, user),
          own_orders: bounds.ownOrders,
          points_of_sale: bounds.pointsOfSale.map((host) => host.toLowerCase()).toSorted(),
          on_account: bounds.onAccount,
          reservation_days: bounds.reservationDays,
          held_places: bounds.heldPlaces,
        },
      }),
  ...(service === null ? {} : { service }),
  ...(isPublic ? { public: true } : {}),
});

/** The claim that names the client, or the user who is signed in at it. */
const clientClaim = (client: string | null, user: CallerUser | null) => {
  if (user !== null) return { user: userClaim(user, client) };
  return client === null ? {} : { client };
};

const userClaim = ({ id, role, contact, pointsOfSale }: CallerUser, client: string | null) => ({
  id,
  client,
  role,
  ...(contact === null ? {} : { contact }),
  ...(pointsOfSale.length === 0 ? {} : { points_of_sale: pointsOfSale }),
});

type Claims = Readonly<Record<string, unknown>>;

/**
 * The caller that an identity token names, without any check of the token: for whoever got it from the authorizer
 * itself. Undefined if it is malformed.
 */
export function decodeCaller(token: string): Caller | undefined {
  try {
    const payload = jwt.decode(token);
    return typeof payload === 'object' && payload !== null ? readCaller(payload) : undefined;
  } catch {
    return undefined;
  }
}

const readCaller = (payload: Claims): Caller | undefined => {
  const { institution, operation, scope, iat, exp } = payload;
  if (typeof institution !== 'string' || typeof operation !== 'string' || typeof scope !== 'string') return undefined;
  if (typeof iat !== 'number' || Number(exp) - iat > IDENTITY_LIFETIME_SECONDS) return undefined;
  const { bounded } = payload;
  const named = bounded === undefined ? readClient(payload) : readBounded(Object(bounded));
  if (!named) return undefined;
  return {
    institution,
    operation,
    bounds: null,
    ...named,
    service: textOrNull(payload.service),
    scopes: scope.split(' ').filter(Boolean),
    isPublic: payload.public === true,
  };
};

/** Who calls, as claims name it; undefined if one is malformed. */
const readClient = ({ client, user }: Claims): Pick<Caller, 'client' | 'user'> | undefined =>
  user === undefined ? { client: textOrNull(client), user: null } : readUserClaim(Object(user));

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The user's client and the user, as one claim names them; undefined if it is malformed. */
const readUserClaim = (claim: object): Pick<Caller, 'client' | 'user'> | undefined => {
  const { id, client, role, contact, points_of_sale } = claim as Readonly<Record<string, unknown>>;
  const user = readUser({ id, role, contact, pointsOfSale: points_of_sale });
  return user && typeof client === 'string' ? { client, user } : undefined;
};

/** A client with its bounds, as one claim names them; undefined if it is malformed. */
const readBounded = (claim: Claims): Pick<Caller, 'client' | 'user' | 'bounds'> | undefined => {
  const { own_orders: ownOrders, points_of_sale: pointsOfSale } = claim;
  const { on_account: onAccount, reservation_days: reservationDays, held_places: heldPlaces } = claim;
  const named = readClient(claim);
  if (!named || named.client === null || typeof ownOrders !== 'boolean') return undefined;
  if (!Array.isArray(pointsOfSale) || pointsOfSale.some((host) => typeof host !== 'string')) return undefined;
  if (onAccount !== undefined && typeof onAccount !== 'boolean') return undefined;
  if (!isLimit(reservationDays) || !isLimit(heldPlaces)) return undefined;
  return {
    ...named,
    bounds: {
      ownOrders,
      pointsOfSale,
      ...(onAccount !== undefined && { onAccount }),
      ...(reservationDays !== undefined && { reservationDays }),
      ...(heldPlaces !== undefined && { heldPlaces }),
    },
  };
};

/** Whether a claim is a number, or absent: then the default holds. */
const isLimit = (claim: unknown): claim is number | undefined => claim === undefined || typeof claim === 'number';

interface IdentityVerifierOptions {
  readonly keys: KeySet;
  /** The name of the verifying service. */
  readonly audience: string;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/**
 * Creates a service's check of identity tokens; it rejects with Fault `unauthorized`, or `service_unavailable` without
 * keys.
 */
export function createIdentityVerifier(options: IdentityVerifierOptions): IdentityVerifier {
  return createTokenVerifier<Caller>({
    keys: options.keys,
    type: IDENTITY_TYPE,
    issuer: IDENTITY_ISSUER,
    audience: options.audience,
    read: readCaller,
    refuse: (reason) => new Fault('unauthorized', `The identity token is not valid: ${reason}.`),
    now: options.now ?? Date.now,
  });
}
