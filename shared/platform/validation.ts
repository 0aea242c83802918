import type * as z from 'zod'
import { PlatformError } from './errors.ts'

/** Returns a 400 that names the first invalid field. A message that is specific to the field is used unchanged. */
export function validationError(error: z.core.$ZodError): PlatformError {
  const issue = error.issues[0]
  const field = issue?.path.join('.') ?? ''
  const message = issue?.message ?? 'Bad request'
  const named = field === '' || message.toLowerCase().includes(field.toLowerCase())
  const code: unknown = issue?.code === 'custom' ? issue.params?.code : undefined
  return new PlatformError(
    'bad-request',
    named ? message : `${field}: ${message}`,
    typeof code === 'string' ? { code } : {},
  )
}

/** Parses a value that the route's own schema does not cover. @throws PlatformError 400 */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw validationError(parsed.error)
  return parsed.data
}
