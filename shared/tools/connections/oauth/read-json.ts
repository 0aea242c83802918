import type * as z from 'zod'
import type { BoundedFetch } from '#shared/platform/http-client/fetch.ts'

/** Reads a document. @returns undefined unless it is JSON of this form with status 200 */
export async function readJson<S extends z.ZodType>(
  fetch: BoundedFetch,
  url: string,
  schema: S,
): Promise<z.output<S> | undefined> {
  const answer = await fetch(url, { headers: { accept: 'application/json' } })
  if (answer.status !== 200) return undefined
  const json: unknown = await answer.json().catch(() => undefined)
  return schema.safeParse(json).data
}
