import { createParser } from 'eventsource-parser'
import { viewerHeaders } from '../../../shared/http/client-address.ts'
import {
  type ApiBody,
  type ApiRequest,
  type AskApi,
  longestCallMs,
  Overdue,
  refusalOf,
} from '../../../shared/mcp/tool.ts'
import { HttpFailure } from '../../../shared/platform/http-client/failure.ts'
import { boundedFetch } from '../../../shared/platform/http-client/fetch.ts'

/** Of an answer, which a model is to read. */
const maxBytes = 4 * 1024 * 1024

export interface ApiCaller {
  /** The web surface's own address. */
  webUrl: string
  originSecret: string | undefined
  /** The caller's Authorization header. */
  authorization: string
  /** The caller's address, against which the API counts. */
  ip: string
}

/** One answer of the API. */
export async function callApi(
  { webUrl, originSecret, authorization, ip }: ApiCaller,
  { method, path, query = {}, body, waitMs = longestCallMs }: ApiRequest,
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
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

/** The API as this caller. */
export function apiOf(caller: ApiCaller): AskApi {
  return async (request) => {
    const answer = await callApi(caller, request).catch((error: unknown) => {
      const late = error instanceof HttpFailure && error.kind === 'total'
      throw late && request.waitMs !== undefined ? new Overdue('still at work') : error
    })
    const text = await answer.text()
    if (answer.headers.get('content-type')?.startsWith('text/event-stream')) return lastOf(text)
    const body = JSON.parse(text) as ApiBody
    if (answer.status >= 400) throw refusalIn(body)
    return body
  }
}

function refusalIn({ error, code }: ApiBody) {
  return refusalOf(String(error), code === undefined ? undefined : String(code))
}

/** What a chat's stream says in the end. */
function lastOf(text: string): ApiBody {
  let done: ApiBody | undefined
  createParser({
    onEvent({ event, data }) {
      if (event === 'error') throw refusalIn(JSON.parse(data) as ApiBody)
      if (event === 'done') done = JSON.parse(data) as ApiBody
    },
  }).feed(text)
  if (done === undefined) throw new Error('a stream ended without its end')
  return done
}
