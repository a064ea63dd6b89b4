/** A client, with the user who was signed in at it, or a shopper of a point of sale. */
export type Creator = { readonly clientId: string; readonly userId?: string } | { readonly pointOfSale: string };
