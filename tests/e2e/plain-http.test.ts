import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { newSubscriber, stack } from '../support/stack/platform.ts'

let cookie: string
beforeAll(async () => {
  cookie = (await newSubscriber('solo')).session.cookie
})

/** Sends raw requests on one connection, and returns everything that is received. */
function send(...requests: string[]): Promise<string> {
  const socket = connect(Number(new URL(stack().web).port), '127.0.0.1')
  socket.write(requests.join(''))
  return text(socket)
}

function request(
  line: string,
  { headers = [], body = '', last = true }: { headers?: string[]; body?: string; last?: boolean },
): string {
  const end = last ? ['connection: close'] : []
  return [`${line} HTTP/1.1`, 'host: x', ...headers, ...end, '', body].join('\r\n')
}

const statusesOf = (answers: string) =>
  [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

const task = '{"name":"n"}'
const json = (type = 'application/json') => [`content-type: ${type}`]
const whole = (body: string) => [`content-length: ${Buffer.byteLength(body)}`]

describe('a request as programs send it', () => {
  it.each<[string, number[], string, { headers?: string[]; body?: string }]>([
    ['HEAD on a GET route', [200], 'HEAD /api/agents', {}],
    ['HEAD on a function that streams', [200], 'HEAD /api/chat', {}],
    ['a method that the path does not have', [405], 'OPTIONS /api/agents', {}],
    ['a trailing slash', [404], 'GET /api/agents/', {}],
    ['another letter case', [404], 'GET /API/agents', {}],
    ['an encoded id', [404], 'GET /api/agents/%61gt%5F0', {}],
    ['invalid encoding', [404], 'GET /api/agents/%zz', {}],
    ['half a character', [404], 'GET /api/agents/%E0%A4', {}],
    ['a duplicate parameter', [400], 'GET /api/runs?state=active&state=active', {}],
    [
      'an Accept header of another type',
      [200],
      'GET /api/agents',
      { headers: ['accept: text/xml'] },
    ],
    [
      'a charset',
      [400],
      'POST /api/scheduled-tasks',
      { headers: [...json('Application/JSON;Charset="UTF-8"'), ...whole(task)], body: task },
    ],
    [
      'header names in upper case',
      [400],
      'POST /api/scheduled-tasks',
      { headers: ['CONTENT-TYPE: application/json', `CONTENT-LENGTH: ${task.length}`], body: task },
    ],
    [
      'a body with Expect: 100-continue',
      [100, 400],
      'POST /api/scheduled-tasks',
      { headers: [...json(), 'expect: 100-continue', ...whole(task)], body: task },
    ],
    [
      'a chunked body',
      [400],
      'POST /api/scheduled-tasks',
      {
        headers: [...json(), 'transfer-encoding: chunked'],
        body: '5\r\n{"nam\r\n7\r\ne":"n"}\r\n0\r\n\r\n',
      },
    ],
  ])(
    'a request as programs send it is accepted, with %s',
    async (_, statuses, line, { headers = [], body = '' }) => {
      const answer = await send(request(line, { headers: [`cookie: ${cookie}`, ...headers], body }))
      expect(statusesOf(answer)).toEqual(statuses)
      // The body is parsed as JSON, and the request is refused because a field is missing.
      if (line.startsWith('POST')) expect(answer).toContain('cronSchedule required')
      if (line.startsWith('HEAD')) expect(answer).not.toMatch(/content-length/i)
      if (statuses[0] === 405) expect(answer).toMatch(/^allow: GET/im)
    },
  )

  it.each(['/api/scheduled-tasks', '/api/keys'])(
    'a request that follows one with too large a body on its connection is answered: %s',
    async (path) => {
      const body = `{"name":"${'a'.repeat(1_100_000)}"}`
      const headers = [`cookie: ${cookie}`, ...json(), ...whole(body)]
      const answers = await send(
        request(`POST ${path}`, { headers, body, last: false }),
        request('GET /api/agents', { headers: [`cookie: ${cookie}`] }),
      )
      expect(statusesOf(answers)).toEqual([413, 200])
    },
  )
})
