import type { Condition } from '../../platform/table/port.ts'

/** The condition that attributes are still as they were read; undefined ones, still absent. */
export function asRead(attributes: Readonly<Record<string, unknown>>): Required<Condition> {
  const given = Object.entries(attributes)
  return {
    if: given
      .map(([name, value]) =>
        value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}`,
      )
      .join(' AND '),
    values: Object.fromEntries(given.filter(([, value]) => value !== undefined)),
  }
}
