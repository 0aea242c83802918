import type * as z from 'zod'
import { SettingsError } from './settings.ts'

const tryMs = 10_000

/** A request of a container that has no agent yet. */
export interface PlatformQuestion<Answer> {
  token: string
  question: object
  schema: z.ZodType<Answer>
}

/**
 * Asks the platform once.
 * @returns the response, or the reason of a failure that may be temporary
 * @throws SettingsError if the failure is final
 */
export async function askPlatform<Answer extends object>(
  url: string,
  { token, question, schema }: PlatformQuestion<Answer>,
): Promise<Answer | string> {
  let status: number
  let text: string
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(question),
      redirect: 'error',
      signal: AbortSignal.timeout(tryMs),
    })
    status = answer.status
    text = await answer.text()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  if (status === 400 || status === 401)
    throw new SettingsError(`the platform refused this start with ${status}`)
  if (status !== 200) return `it responded with ${status}`
  return readAnswer(text, schema) ?? 'its response is not an environment'
}

function readAnswer<Answer>(text: string, schema: z.ZodType<Answer>): Answer | undefined {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
