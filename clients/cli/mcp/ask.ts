import {
  type ApiBody,
  type AskApi,
  longestCallMs,
  Overdue,
  Refusal,
  refusalOf,
} from '../../../shared/mcp/tool.ts'
import { Platform, PlatformError } from '../../typescript/index.ts'

export interface Access {
  baseUrl: string
  /** What opens the platform now: a program may be served for longer than a token lives. */
  apiKey(): Promise<string>
}

/** The API as who is signed in. A request that makes something is sent under a key, so that a retry makes no second one. */
export function askAs({ baseUrl, apiKey }: Access): AskApi {
  return async ({ method, path, query, body, waitMs }) => {
    const key = await apiKey().catch((error: unknown) => {
      throw new Refusal((error as Error).message)
    })
    const platform = new Platform({ baseUrl, apiKey: key })
    try {
      if (waitMs !== undefined) return await turn(platform, body, waitMs)
      return await platform.request<ApiBody>(
        `${method} ${path as `/${string}`}`,
        { query, body },
        {
          timeoutMs: longestCallMs,
          idempotencyKey: method === 'POST' ? crypto.randomUUID() : undefined,
        },
      )
    } catch (error) {
      // One without a status brought no answer.
      if (!(error instanceof PlatformError) || error.status === undefined) throw error
      throw refusalOf(error.message, error.code)
    }
  }
}

type Said = Parameters<Platform['chat']['stream']>[0]

/** What an agent answers to a message. @throws Overdue where it takes longer */
async function turn(
  { chat }: Platform,
  said: object | undefined,
  waitMs: number,
): Promise<ApiBody> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), waitMs)
  try {
    // The loop ends without an error where its time is over.
    for await (const event of chat.stream(said as Said, { signal: late.signal })) {
      if (event.type !== 'done') continue
      const { type: _, ...answer } = event
      return { ...answer }
    }
  } finally {
    clearTimeout(timer)
  }
  throw new Overdue('still at work')
}
