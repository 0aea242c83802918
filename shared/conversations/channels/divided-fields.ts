import type { Adapter } from './adapters/adapter.ts'

/** Divides the fields of a request into values that are shown and values that are encrypted. */
export function dividedFields(
  { secretFields }: Adapter,
  fields: Readonly<Record<string, unknown>>,
): { settings: Record<string, string>; secrets: Record<string, string> } {
  const settings: Record<string, string> = {}
  const secrets: Record<string, string> = {}
  for (const [name, value] of Object.entries(fields))
    if (typeof value === 'string') (secretFields.includes(name) ? secrets : settings)[name] = value
  return { settings, secrets }
}
