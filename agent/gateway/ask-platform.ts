import type * as z from 'zod'
import { SettingsError } from './settings.ts'

const tryMs = 10_000

/** A question of a container that is to become an agent. */
export interface PlatformQuestion<Answer> {
  token: string
  question: object
  schema: z.ZodType<Answer>
}

/**
 * @returns the answer, or why to ask again, where that may help
 * @throws SettingsError where the platform says that it never will
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
  if (status !== 200) return `it answered ${status}`
  return readAnswer(text, schema) ?? 'its answer is no environment'
}

function readAnswer<Answer>(text: string, schema: z.ZodType<Answer>): Answer | undefined {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
