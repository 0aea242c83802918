import { createHmac, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type SlackFiles, slackFiles } from './slack-files.ts'
import { slackMethods, type SlackPost, type SlackWorkspace } from './slack-methods.ts'

/** A fault of the next call of a method, in place of its answer. `lost`: it is carried out, and its answer breaks off. */
export type SlackFault = 'lost' | { status: number; body?: unknown; retryAfter?: number }

export interface PlayedSlack extends SlackWorkspace {
  /** SLACK_API_URL. */
  url: string
  signingSecret: string
  posts: SlackPost[]
  files: SlackFiles
  /** The names of all methods that were called, in order. */
  called: string[]
  /** Sets faults for the next calls of a method, one each. */
  meets(method: string, ...faults: SlackFault[]): void
  /** Returns an event with its envelope, as Slack sends it. */
  envelope(event: Record<string, unknown>): Record<string, unknown>
  /** Returns the request that delivers a payload, signed now or `at` seconds of the epoch. */
  signed(payload: unknown, at?: number, secret?: string): SlackRequest
  close(): Promise<void>
}

export interface SlackRequest {
  headers: Record<string, string>
  body: string
}

let serial = 0

/** Returns a timestamp of a message, which Slack also uses as its id in a channel. */
export function messageTime(): string {
  return `${Math.floor(Date.now() / 1000)}.${String(++serial).padStart(6, '0')}`
}

/**
 * Slack's Web API and Events API as docs.slack.dev describes them: it checks tokens, scopes, the forms of bodies,
 * members of channels and threads.
 */
export async function startSlack(): Promise<PlayedSlack> {
  const id = () => randomBytes(5).toString('hex').toUpperCase()
  const workspace: SlackWorkspace = {
    token: `xoxb-${id()}-${id()}`,
    scopes: ['app_mentions:read', 'chat:write', 'files:read', 'files:write', 'im:history'],
    teamId: `T${id()}`,
    botUserId: `U${id()}`,
    botId: `B${id()}`,
    members: new Set(),
  }
  const signingSecret = randomBytes(16).toString('hex')
  const posts: SlackPost[] = []
  const called: string[] = []
  const faults = new Map<string, SlackFault[]>()
  const files = slackFiles(workspace, posts)
  const methods = { ...slackMethods(workspace, posts), ...files.methods }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const path = new URL(request.url ?? '', base()).pathname
    const { authorization = '', 'content-type': type = '' } = request.headers
    if (!path.startsWith('/api/'))
      return files.serve(response, { method: request.method, path, authorization, type, body })
    const method = path.slice('/api/'.length)
    called.push(method)
    const fault = faults.get(method)?.shift()
    if (typeof fault === 'object') {
      if (fault.retryAfter !== undefined)
        response.setHeader('retry-after', String(fault.retryAfter))
      return response.writeHead(fault.status).end(JSON.stringify(fault.body ?? {}))
    }
    const answer = answerOf(method, type, authorization, body)
    if (fault === 'lost') return response.destroy()
    return response
      .writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'x-oauth-scopes': workspace.scopes.join(','),
      })
      .end(JSON.stringify(answer))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  files.base = base()

  function answerOf(method: string, type: string, authorization: string, body: Buffer) {
    const call = methods[method]
    if (call === undefined) return { ok: false, error: 'unknown_method' }
    const json = type.startsWith('application/json')
    if (!json && !type.startsWith('application/x-www-form-urlencoded'))
      return { ok: false, error: 'invalid_post_type' }
    if (json && call.formOnly) return { ok: false, error: 'invalid_arguments' }
    const given: Record<string, string> = json
      ? JSON.parse(body.toString() || '{}')
      : Object.fromEntries(new URLSearchParams(body.toString()))
    const token = /^Bearer (\S+)$/.exec(authorization)?.[1] ?? given.token
    if (token === undefined) return { ok: false, error: 'not_authed' }
    if (token !== workspace.token) return { ok: false, error: 'invalid_auth' }
    if (call.scope !== undefined && !workspace.scopes.includes(call.scope))
      return {
        ok: false,
        error: 'missing_scope',
        needed: call.scope,
        provided: workspace.scopes.join(','),
      }
    return call.answer(given)
  }

  return Object.assign(workspace, {
    url: `${base()}/api`,
    signingSecret,
    posts,
    files,
    called,
    meets: (method: string, ...next: SlackFault[]) =>
      void faults.set(method, [...(faults.get(method) ?? []), ...next]),
    envelope: (event: Record<string, unknown>) => ({
      token: 'deprecated',
      team_id: workspace.teamId,
      api_app_id: 'A0PLAYED',
      event,
      type: 'event_callback',
      event_id: `Ev${id()}`,
      event_time: Math.floor(Date.now() / 1000),
      authorizations: [{ team_id: workspace.teamId, user_id: workspace.botUserId, is_bot: true }],
    }),
    signed(payload: unknown, at = Math.floor(Date.now() / 1000), secret = signingSecret) {
      const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
      const digest = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')
      return {
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
          'x-slack-request-timestamp': String(at),
          'x-slack-signature': `v0=${digest}`,
        },
        body,
      }
    },
    close: () =>
      new Promise<void>((closed) => {
        server.closeAllConnections()
        server.close(() => closed())
      }),
  })
}
