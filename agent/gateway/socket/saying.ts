import * as z from 'zod'
import { check } from '../http/input.ts'
import { sessionIdLimit } from '../workspace/sessions.ts'

/** The caller's name for a message. It is short, since every piece of the answer carries it. */
const idSchema = z.union([z.string().max(256), z.number()]).nullish()

/** One message of a caller. */
const sayingSchema = z.object({
  id: idSchema,
  message: z.string().regex(/\S/, 'must not be empty'),
  session: z.string().min(1).max(sessionIdLimit).optional(),
})

export type Saying = z.infer<typeof sayingSchema>

/** The `id` of a message, so that a refusal can name what it refuses; null where it has none. */
export function idOf(value: unknown): string | number | null {
  return idSchema.safeParse(Object(value).id).data ?? null
}

/**
 * Checks `{message, id?, session?}`.
 * @throws Problem 400 naming the field at fault
 */
export function readSaying(value: unknown): Saying {
  return check(sayingSchema, { ...Object(value) })
}
