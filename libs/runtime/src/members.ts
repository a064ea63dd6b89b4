/** Names from outside can be those of what every object inherits: `constructor`, `toString`, `__proto__`. */
export function getOwnMember<Value>(
  record: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}
