import {
  type ApiBody,
  type AskApi,
  fileBody,
  fileTooLarge,
  longestCallMs,
  ToolTimeout,
  ToolRefusal,
  refusalOf,
} from '../../../shared/tools/mcp/tool.ts'
import { Platform, PlatformError } from '../../typescript/index.ts'

export interface Access {
  baseUrl: string
  /** Returns a key or token that is valid now: the server may run longer than a token lives. */
  apiKey(): Promise<string>
}

/** Returns a function that calls the API as the signed-in user. POST requests carry an idempotency key, so a retry is safe. */
export function askAs({ baseUrl, apiKey }: Access): AskApi {
  return async ({ method, path, query, body, text, waitMs }) => {
    const key = await apiKey().catch((error: unknown) => {
      throw new ToolRefusal((error as Error).message)
    })
    const platform = new Platform({ baseUrl, apiKey: key })
    try {
      if (waitMs !== undefined) return await turn(platform, body, waitMs)
      const type = text === undefined ? undefined : 'application/octet-stream'
      const answer = await platform.request<ApiBody | ArrayBuffer | string>(
        `${method} ${path as `/${string}`}`,
        { query, body: text ?? body, type },
        {
          timeoutMs: longestCallMs,
          idempotencyKey: method === 'POST' ? crypto.randomUUID() : undefined,
        },
      )
      // The address of a redirect.
      if (typeof answer === 'string') throw fileTooLarge()
      return answer instanceof ArrayBuffer ? fileBody(answer) : answer
    } catch (error) {
      // An error without a status means that no response arrived.
      if (!(error instanceof PlatformError) || error.status === undefined) throw error
      throw refusalOf(error.message, error.code)
    }
  }
}

type ChatBody = Parameters<Platform['chat']['stream']>[0]

/** Sends a message and returns the agent's reply. @throws ToolTimeout if it takes longer than `waitMs` */
async function turn(
  { chat }: Platform,
  message: object | undefined,
  waitMs: number,
): Promise<ApiBody> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), waitMs)
  try {
    // When the time is up, the loop ends without an error.
    for await (const event of chat.stream(message as ChatBody, { signal: late.signal })) {
      if (event.type !== 'done') continue
      const { type: _, ...answer } = event
      return { ...answer }
    }
  } finally {
    clearTimeout(timer)
  }
  throw new ToolTimeout('still at work')
}
