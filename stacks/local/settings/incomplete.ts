import { neededTogether } from '#shared/manifest/settings/needed-together.ts'

/** Returns a line for each feature that is off because only some of its settings are set. */
export function incomplete(values: Record<string, string>): string[] {
  return Object.entries(neededTogether).flatMap(([feature, names]) => {
    const missing = names.filter((name) => values[name] === undefined)
    const isPartlySet = missing.length < names.length
    return isPartlySet && missing.length > 0
      ? [`${feature} stays off until you set ${missing.join(', ')}`]
      : []
  })
}
