const text = { type: 'string' } as const;

/** The headers of a deprecated operation, as they are described. */
export const describedDeprecation = {
  Deprecation: { description: 'Since when the operation is deprecated (RFC 9745).', schema: text },
  Sunset: { description: 'The operation is served until then at least (RFC 8594).', schema: text },
} as const;
