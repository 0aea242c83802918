import type * as z from 'zod'

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Returns a check that rejects values without an RFC 8785 form (unpaired surrogates, numbers beyond a double's range,
 * which JSON parses as infinite), and values that are nested too deeply or too long as JSON.
 */
export function withinForm({ longest, deepest }: { longest: number; deepest: number }) {
  return (message: unknown, context: z.RefinementCtx): void => {
    const fault = faultOf(message, deepest)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: `the message ${fault}` })
    else if (JSON.stringify(message).length > longest)
      context.addIssue({
        code: 'custom',
        message: `the message must have at most ${longest} characters as JSON`,
      })
  }
}

function faultOf(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string')
    return value.isWellFormed() ? undefined : 'contains text with an unpaired surrogate'
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : 'contains a number that is too large for JSON'
  if (typeof value !== 'object' || value === null) return undefined
  if (depth === 0) return 'is nested too deeply'
  for (const [name, inner] of Object.entries(value)) {
    const fault = faultOf(name, depth) ?? faultOf(inner, depth - 1)
    if (fault !== undefined) return fault
  }
  return undefined
}
