import * as z from 'zod'
import type { Adapter } from '../adapter.ts'
import { jsonBody } from '../json-body.ts'

/** Answers Slack's verification of a request URL. It has the same signature as an event. */
export const challenge: NonNullable<Adapter['challenge']> = (_, { body }) => {
  const asked = z
    .object({ type: z.literal('url_verification'), challenge: z.string().max(1000) })
    .safeParse(jsonBody(body))
  return asked.success ? Response.json({ challenge: asked.data.challenge }) : undefined
}
