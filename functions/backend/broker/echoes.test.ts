import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { useBrokerScene } from '#tests/support/tools/broker-with-host.ts'

/** Contains characters that each encoding writes differently. */
const value = 'k/ey+of "hers"&=?%\\end'

const on = useBrokerScene(value)

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Responses of services that repeat the request. */
const echoes: [string, (said: string) => string][] = [
  ['as it is', (said) => said],
  ['as a component of an address', (said) => `/?next=${encodeURIComponent(said)}&x=1`],
  ['as a field of a form', (said) => String(new URLSearchParams({ said }))],
  ['as JSON', (said) => JSON.stringify({ said })],
  ['as JSON of PHP', (said) => JSON.stringify({ said }).replaceAll('/', '\\/')],
  ['as JSON of Go', (said) => JSON.stringify({ said }).replaceAll('&', '\\u0026')],
  [
    'as a component of an address in lower case',
    (said) => encodeURIComponent(said).replace(/%../g, (code) => code.toLowerCase()),
  ],
  ['as base64', base64],
  ['as base64 behind a name', (said) => base64(`u:${said}:p`)],
  ['as base64 behind a longer name', (said) => base64(`us:${said}`)],
  ['as base64url', (said) => Buffer.from(`(${said})`).toString('base64url')],
  ['as hex', (said) => Buffer.from(said).toString('hex')],
]

/** Searches for every encoding that would let an agent recover the value. */
function isIn(text: string): boolean {
  const tried = [
    text,
    text.replaceAll('+', ' '),
    text
      .replaceAll('\\\\', '\\')
      .replaceAll('\\"', '"')
      .replaceAll('\\/', '/')
      .replace(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16))),
  ]
  for (const run of text.match(/[\w+/-]{8,}={0,2}/g) ?? []) {
    for (const from of [0, 1, 2, 3]) tried.push(Buffer.from(run.slice(from), 'base64').toString())
    tried.push(Buffer.from(run, 'hex').toString())
  }
  const decoded = tried.map((one) =>
    one.replace(/(?:%[0-9A-F]{2})+/gi, (part) => decodeURIComponent(part)),
  )
  return [...tried, ...decoded].some((one) => one.includes(value))
}

const credentialIn = ({ headers }: IncomingMessage) =>
  String(headers.authorization).slice('Bearer '.length)

it.each(echoes)('a service that repeats the credential %s shows asterisks', async (_, echo) => {
  on.answer = async (request, response) => {
    const text = echo(credentialIn(request))
    response.writeHead(200, { 'x-said': text })
    for (let at = 0; at < text.length; at += 5) {
      response.write(text.slice(at, at + 5))
      await new Promise(setImmediate)
    }
    response.end()
  }
  expect(isIn(echo(value))).toBe(true)
  const brokerResponse = await on.ask(`/api/${on.host}/`)
  const text = await brokerResponse.text()
  for (const message of [text, String(brokerResponse.headers.get('x-said'))]) {
    expect(message).toContain('*****')
    expect(isIn(message)).toBe(false)
  }
  expect(text.length).toBe(echo(value).length)
})

it('a response header whose name contains the credential is removed', async () => {
  await on.broker.keep(on.user.session, on.agent.agentId, {
    name: 'token',
    hosts: [on.host],
    value: 'A-Token-Of-Hers',
  })
  on.answer = (request, response) =>
    response.writeHead(200, { [`x-${credentialIn(request)}`]: '1', 'x-other': '2' }).end()
  const brokerResponse = await on.ask(`/token/${on.host}/`)
  expect(brokerResponse.headers.get('x-other')).toBe('2')
  expect([...brokerResponse.headers.keys()].join()).not.toMatch(/token-of-hers/i)
})

it.each(['TRACE', 'CONNECT', 'PROPFIND'])('no host is called by %s', async (method) => {
  const pending = on
    .ask(`/api/${on.host}/`, { method })
    .then(({ status }) => status)
    .catch((error: unknown) => error)
  // A Request with these methods, except the last, cannot be created.
  expect(await pending).toSatisfy((end) => end === 405 || end instanceof TypeError)
  expect(on.seen).toEqual([])
})

it('an agent’s own headers change neither the credential nor the host', async () => {
  await (
    await on.ask(`/api/${on.host}/`, {
      headers: {
        'accept-encoding': 'br, gzip',
        'x-forwarded-host': 'thief.example',
        forwarded: 'host=thief.example',
        cookie: 'a=b',
        connection: 'authorization',
        'proxy-authorization': 'Basic x',
      },
    })
  ).text()
  expect(on.seen[0]?.headers).toEqual({
    'accept-encoding': 'identity',
    authorization: `Bearer ${value}`,
    host: on.host,
    connection: 'keep-alive',
  })
})
