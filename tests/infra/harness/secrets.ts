/** The key that marks a wrapped value in Pulumi's wire format, and the mark of a secret. */
const signatureKey = '4dabf18193072939515e22adb298388d'
const secretMark = '1b47061264138c4ac30d75fd1eb44270'

interface Wrapped {
  value: unknown
}

export function isSecret(value: unknown): value is Wrapped {
  return (
    typeof value === 'object' && value !== null && Reflect.get(value, signatureKey) === secretMark
  )
}

/** Returns a value with every secret in it unwrapped. */
export function unwrap(value: unknown): unknown {
  if (isSecret(value)) return unwrap(value.value)
  if (Array.isArray(value)) return value.map(unwrap)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unwrap(item)]))
}
