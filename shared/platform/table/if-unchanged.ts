import type { Condition } from './port.ts'

/**
 * Returns the condition that the attributes have not changed since they were read. Undefined attributes must still be
 * absent.
 */
export function ifUnchanged(attributes: Readonly<Record<string, unknown>>): Required<Condition> {
  const entries = Object.entries(attributes)
  return {
    if: entries
      .map(([name, value]) =>
        value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}`,
      )
      .join(' AND '),
    values: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
  }
}
