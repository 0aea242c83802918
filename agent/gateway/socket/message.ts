import * as z from 'zod'
import { check } from '../http/input.ts'
import { sessionIdLimit } from '../workspace/sessions.ts'

/** The caller's id of a message. It is short, because every part of the response contains it. */
const idSchema = z.union([z.string().max(256), z.number()]).nullish()

/** A message from a caller. */
const socketMessage = z.object({
  id: idSchema,
  message: z.string().regex(/\S/, 'must not be empty'),
  session: z.string().min(1).max(sessionIdLimit).optional(),
})

export type SocketMessage = z.infer<typeof socketMessage>

/** Returns the `id` of a message, so that a refusal can name it; null without a valid one. */
export function idOf(value: unknown): string | number | null {
  return idSchema.safeParse(Object(value).id).data ?? null
}

/**
 * Validates `{message, id?, session?}`.
 * @throws Problem 400 that names the invalid field
 */
export function readSocketMessage(value: unknown): SocketMessage {
  return check(socketMessage, { ...Object(value) })
}
