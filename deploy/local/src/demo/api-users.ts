import { randomBytes } from 'node:crypto';
import { createApiUser, listApiUsers, ROLES, setApiUserPassword } from '@boxoffice/authorizer';
import type { Store } from '@boxoffice/store';

/** A user of `demo.json` who signs in to the institution API. */
export interface DemoApiUser {
  readonly institution: string;
  readonly login: string;
  readonly password: string;
  readonly role: string;
  /** Of the role `customer`. */
  readonly contactNumber?: string;
}

const NAMES: Readonly<Record<string, string>> = {
  admin: 'Alma Rosé',
  manager: 'Maria Callas',
  box_office: 'Benno Kassel',
  door: 'Dora Sluys',
  customer: 'Clara Haskil',
};

export interface DemoApiUserOptions {
  readonly institution: string;
  readonly publicUrl: string;
  /** The contact of the role `customer`. */
  readonly contactNumber: string;
}

const newPassword = (): string => randomBytes(15).toString('base64url');

/** Registers one user of every role in an institution. An existing one, whose password is lost, gets a new one. */
export const registerApiUsers = async (
  store: Store,
  { institution, publicUrl, contactNumber }: DemoApiUserOptions,
): Promise<DemoApiUser[]> => {
  const existing = await listApiUsers(store, institution);
  const registered: DemoApiUser[] = [];
  for (const role of ROLES) {
    const login = `${role.replace('_', '-')}@${institution}.example`;
    const password = newPassword();
    const own = role === 'customer' ? { contactNumber } : {};
    const user = { institution, login, publicUrl };
    if (!existing.some((known) => known.login === login))
      await createApiUser(store, { ...user, name: NAMES[role] ?? role, role, ...own });
    await setApiUserPassword(store, user, password);
    registered.push({ institution, login, password, role, ...own });
  }
  return registered;
};
