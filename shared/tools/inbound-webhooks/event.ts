import { PlatformError } from '#shared/platform/errors.ts'

/** The retention of received events in seconds: longer than providers repeat them. */
export const eventRetentionSeconds = 30 * 86_400

export function badSignature(): PlatformError {
  return new PlatformError('unauthorized', 'The signature is not valid')
}

/** Parses a signed body. @throws PlatformError 400 if it is not a JSON object in UTF-8 */
export function readEvent(body: Uint8Array): Record<string, unknown> {
  const event = parse(body)
  if (!isObject(event)) throw new PlatformError('bad-request', 'The body is not an event')
  return event
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

/** Returns the object of that name within another one; an empty object if it does not exist. */
export function objectIn(value: Record<string, unknown>, name: string): Record<string, unknown> {
  const inner = Object.hasOwn(value, name) ? value[name] : undefined
  return isObject(inner) ? inner : {}
}

/** Returns the text of that name, cut to `longest` characters; undefined if it is not a text or is empty. */
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
