const text = { type: 'string' } as const;

/** The headers of an operation of which something will go, as they are described. */
export const describedDeprecation = {
  Deprecation: { description: 'Since when the operation, or a member of it, is deprecated (RFC 9745).', schema: text },
  Sunset: { description: 'The operation, or the member, is served until then at least (RFC 8594).', schema: text },
} as const;
