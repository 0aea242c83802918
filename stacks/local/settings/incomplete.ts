import { neededTogether } from '../../../shared/manifest/settings/functions.ts'

/** What stays off though some of its settings are there, and what it lacks. */
export function incomplete(values: Record<string, string>): string[] {
  return Object.entries(neededTogether).flatMap(([feature, names]) => {
    const missing = names.filter((name) => values[name] === undefined)
    const begun = missing.length < names.length
    return begun && missing.length > 0 ? [`${feature} stays off without ${missing.join(', ')}`] : []
  })
}
