import { createParser } from 'eventsource-parser'
import { viewerHeaders } from '#shared/http/client-address.ts'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import { boundedFetch } from '#shared/platform/http-client/fetch.ts'
import {
  type ApiBody,
  type ApiRequest,
  type AskApi,
  fileBody,
  fileTooLarge,
  longestCallMs,
  ToolTimeout,
  refusalOf,
} from '#shared/tools/mcp/tool.ts'

/** The longest response that a model gets, in bytes. */
const maxBytes = 4 * 1024 * 1024

/** The media type of agents' files. */
const octets = 'application/octet-stream'

export interface ApiCaller {
  webUrl: string
  originSecret: string | undefined
  /** The Authorization header of the caller. */
  authorization: string
  /** The client address, which the API counts requests against. */
  ip: string
}

/** Calls the API as the caller. */
export async function callApi(
  { webUrl, originSecret, authorization, ip }: ApiCaller,
  { method, path, query = {}, body, text, waitMs = longestCallMs }: ApiRequest,
): Promise<Response> {
  const url = new URL(path, webUrl)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value))
  return boundedFetch({ totalMs: waitMs, maxBytes })(url.href, {
    method,
    headers: {
      authorization,
      ...(await viewerHeaders(ip, originSecret)),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(text !== undefined && { 'content-type': octets }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(text !== undefined && { body: text }),
  })
}

/** Returns the API client of a caller. */
export function apiOf(caller: ApiCaller): AskApi {
  return async (request) => {
    const answer = await callApi(caller, request).catch((error: unknown) => {
      const late = error instanceof HttpFailure && error.kind === 'total'
      throw late && request.waitMs !== undefined ? new ToolTimeout('still at work') : error
    })
    if (answer.status >= 300 && answer.status < 400) throw fileTooLarge()
    const type = answer.headers.get('content-type')
    if (type === octets) return fileBody(await answer.arrayBuffer())
    const text = await answer.text()
    if (type?.startsWith('text/event-stream')) return lastOf(text)
    const body = JSON.parse(text) as ApiBody
    if (answer.status >= 400) throw refusalIn(body)
    return body
  }
}

function refusalIn({ error, code }: ApiBody) {
  return refusalOf(String(error), code === undefined ? undefined : String(code))
}

/** Returns the last event of a chat stream. */
function lastOf(text: string): ApiBody {
  let done: ApiBody | undefined
  createParser({
    onEvent({ event, data }) {
      if (event === 'error') throw refusalIn(JSON.parse(data) as ApiBody)
      if (event === 'done') done = JSON.parse(data) as ApiBody
    },
  }).feed(text)
  if (done === undefined) throw new Error('a stream ended without a final event')
  return done
}
