import { createHash } from 'node:crypto'
import { PlatformError } from '#shared/platform/errors.ts'

/** The conditions of a request, as it sent them: RFC 9110, 13.1. */
export interface Conditions {
  ifMatch?: string | undefined
  ifNoneMatch?: string | undefined
}

/** Returns the tag of a content. */
export function tagOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Returns the ETag of a file's tag. */
export function etagOf(tag: string): string {
  return `"${tag}"`
}

/** @param tag the tag of the current file; undefined if none exists @throws PlatformError 412 */
export function requireConditions(
  { ifMatch, ifNoneMatch }: Conditions,
  tag: string | undefined,
): void {
  if (ifMatch !== undefined && !matches(ifMatch, tag))
    throw failed('The file has changed, or does not exist')
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, tag, 'weak'))
    throw failed('The file exists already')
}

/** Returns whether a list of ETags, or `*`, contains the tag of the current file. */
export function matches(header: string, tag: string | undefined, weak?: 'weak'): boolean {
  if (tag === undefined) return false
  if (header.trim() === '*') return true
  const listed = header.split(',').map((one) => one.trim())
  return listed.some((one) => (weak ? one.replace(/^W\//, '') : one) === etagOf(tag))
}

function failed(message: string): PlatformError {
  return new PlatformError('precondition-failed', message)
}
