import type { Example } from './operation.ts'

export interface RecordingPlatform {
  fetch: typeof fetch
  /** Returns the requests since the last call, in order. */
  taken(): RecordedRequest[]
}

export interface RecordedRequest {
  operation: string
  /** Path and query. */
  address: string
  body: unknown
}

/**
 * Simulates a platform that answers every operation with its example and records the requests.
 * @param refuses answers 400 instead, so that no program sends a second request
 */
export function recordingPlatform(
  examples: readonly Example[],
  { refuses = false } = {},
): RecordingPlatform {
  const requests: RecordedRequest[] = []
  const routes = examples.map((example) => ({
    example,
    pattern: new RegExp(`^${example.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  }))
  return {
    taken: () => requests.splice(0),
    async fetch(input, init) {
      const { method, url } = new Request(input, init)
      const { pathname, search } = new URL(url)
      const found =
        routes.find(({ example }) => example.method === method && example.path === pathname) ??
        routes.find(({ example, pattern }) => example.method === method && pattern.test(pathname))
      if (found === undefined) return Response.json({ error: 'Not found' }, { status: 404 })
      const body = bodyOf(init?.body)
      requests.push({ operation: found.example.operation, address: pathname + search, body })
      if (refuses) return Response.json({ error: 'Not now' }, { status: 400 })
      const wantsEvents = new Headers(init?.headers).get('accept') === 'text/event-stream'
      return wantsEvents ? streamed(found.example) : answered(found.example)
    },
  }
}

function bodyOf(body: RequestInit['body']): unknown {
  if (typeof body !== 'string') return body ?? undefined
  try {
    return JSON.parse(body) as unknown
  } catch {
    return body
  }
}

function answered({ answer: { type, value } }: Example): Response {
  return new Response(typeof value === 'string' ? value : JSON.stringify(value), {
    headers: { 'content-type': type },
  })
}

function streamed({ answer: { event } }: Example): Response {
  const { name, value } = event ?? { name: 'done', value: {} }
  return new Response(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  })
}
