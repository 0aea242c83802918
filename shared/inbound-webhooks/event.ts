import { PlatformError } from '../platform/errors.ts'

/** How long what came is kept, in seconds: longer than providers send it again. */
export const keptSeconds = 30 * 86_400

export function badSignature(): PlatformError {
  return new PlatformError('unauthorized', 'The signature is not valid')
}

/** The event that a signed body is. @throws PlatformError 400 for a body that is no JSON object in UTF-8 */
export function readEvent(body: Uint8Array): Record<string, unknown> {
  const event = parse(body)
  if (!isObject(event)) throw new PlatformError('bad-request', 'The body is no event')
  return event
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

/** The object of that name within another one; an empty one where there is none. */
export function objectIn(value: Record<string, unknown>, name: string): Record<string, unknown> {
  const inner = Object.hasOwn(value, name) ? value[name] : undefined
  return isObject(inner) ? inner : {}
}

/** The text of that name, cut to `longest` characters; undefined where it is none, or empty. */
export function textIn(
  value: Record<string, unknown>,
  name: string,
  longest: number,
): string | undefined {
  const text = Object.hasOwn(value, name) ? value[name] : undefined
  if (typeof text !== 'string' || text === '') return undefined
  return text.slice(0, longest).toWellFormed()
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
