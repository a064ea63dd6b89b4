/** The stored form of a login: normalised (NFKC), trimmed, in lower case. */
export const loginKey = (login: string): string => login.normalize('NFKC').trim().toLowerCase();
