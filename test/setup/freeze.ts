const refuse = (method: string) => () => {
  throw new TypeError(`Something called ${method}() on a Map or Set of a frozen Snapshot.`);
};

/** Freezes a value and everything it holds, Maps and Sets included, and gives it back. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (value instanceof Map || value instanceof Set) {
    for (const method of ['set', 'add', 'delete', 'clear']) {
      if (method in value) Object.defineProperty(value, method, { value: refuse(method) });
    }
    for (const [key, item] of value.entries()) {
      deepFreeze(key);
      deepFreeze(item);
    }
  }
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
  return value;
}
