import fc from 'fast-check'
import { nastyText } from './breaking.ts'
import { type Content, content } from './content.ts'
import { likelyValues } from './likely.ts'
import type { Operation } from './operations.ts'
import { fitting, type Named } from './schema.ts'

/** The caller of a request: signed out, with an invalid credential, or the actor. */
type As = 'anonymous' | 'stranger' | 'actor'

export interface GeneratedRequest extends Content {
  operation: Operation
  /** The operation's, or HEAD or OPTIONS. */
  method: string
  /** The path with its parameters filled in, and the query. */
  target: string
  headers: Record<string, string>
  as: As
  /** The chosen credential of those that the operation accepts. */
  credential: Operation['credentials'][number] | undefined
  /** The forged credential of a stranger. */
  forged: string
}

/** Existing ids, by the names of parameters and fields. */
export type Ids = Record<string, readonly string[]>

/** A password hash takes 200 ms of a core, so requests that compute one are rarer. */
const dear = /^POST \/api\/(register|auth\/login|auth\/reset-password|settings\/password|keys)$/

/** Generates requests to every operation: valid, nearly valid and invalid ones, by every caller. */
export function requests(
  operations: readonly Operation[],
  ids: Ids,
): fc.Arbitrary<GeneratedRequest> {
  return fc.oneof(
    ...operations.map((operation) => ({
      weight: dear.test(`${operation.method} ${operation.path}`) ? 1 : 8,
      arbitrary: request(operation, ids),
    })),
  )
}

function request(operation: Operation, ids: Ids): fc.Arbitrary<GeneratedRequest> {
  const { credentials, body } = operation
  return fc
    .record({
      method: fc.oneof(
        { weight: 30, arbitrary: fc.constant(operation.method) },
        { weight: 1, arbitrary: fc.constantFrom('HEAD', 'OPTIONS') },
      ),
      target: target(operation, ids),
      headers: headers(operation),
      as: fc.oneof(
        { weight: 1, arbitrary: fc.constant<As>('anonymous') },
        { weight: 1, arbitrary: fc.constant<As>('stranger') },
        { weight: 8, arbitrary: fc.constant<As>('actor') },
      ),
      credential:
        credentials.length === 0 ? fc.constant(undefined) : fc.constantFrom(...credentials),
      forged: forgedCredential,
      content: content(body, namedBy(ids, operation)),
    })
    .map(({ content: sent, ...rest }) =>
      Object.assign(rest, rest.method === operation.method ? sent : noContent, { operation }),
    )
}

const noContent: Content = { contentType: undefined, body: undefined }

/** Headers that name the caller, which the actor's own must not replace. */
const ofCaller = /^(authorization|cookie|x-user-id)$/i

/** A value of a header that a client can send: printable or Latin. */
const headerText = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e400',
    '*',
    'null',
    '{}',
    '[]',
    '{"order":["x"]}',
    'a'.repeat(5000),
    'bytes=0-',
  ),
  fc.constantFrom(
    '{"weights":{"local":1e-200}}',
    '{"__proto__":{"a":1}}',
    '"etag"',
    'W/"x"',
    'ÿ',
    '%00',
  ),
  fc.stringMatching(/^[\x21-\x7e\xa0-\xff]{1,100}$/),
)

function headers({ parameters }: Operation): fc.Arbitrary<Record<string, string>> {
  const own = parameters.filter(({ name, in: place }) => place === 'header' && !ofCaller.test(name))
  const values = own.map(({ name, schema }) => [
    name,
    fc.oneof(headerText, fitting(schema).map(String).filter(canBeSent)),
  ])
  const others = {
    'content-encoding': fc.constantFrom('gzip', 'br', 'aws-chunked', 'identity'),
    accept: fc.constantFrom('text/html', 'text/event-stream', 'image/*;q=x', '\u00ff'),
    'accept-language': headerText,
    origin: fc.constantFrom('null', 'http://evil.example', 'http://localhost:3000', 'x'),
    'x-forwarded-for': headerText,
    range: headerText,
    'x-request-id': headerText,
    traceparent: headerText,
  }
  const rare = fc.record(others, { requiredKeys: [] })
  return fc
    .tuple(
      fc.oneof(
        { weight: 3, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.record(Object.fromEntries(values), { requiredKeys: [] }) },
      ),
      fc.oneof({ weight: 12, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: rare }),
    )
    .map(([mine, more]) => Object.assign({}, more, mine))
}

function canBeSent(value: string): boolean {
  return /^[\x20-\x7e\x80-\xff]*$/.test(value) && value.length < 8000
}

/** A reference to something of the actor, which the sender of the request replaces: `OwnIds`. */
const reference = (to: 'agent' | 'other') =>
  fc.nat({ max: 99 }).map((number) => `own${to}${number}end`)

/** Names of ids, of agents and of other things. */
const agentNames = /^(parentA|a)gent_?Id$/
const otherNames = /^(id|cursor|\w+Id|\w+_id)$/

/** The first folders of paths whose id is an agent's. */
const agentFolders = /^\/api\/(agents|instance|logs)\//

function namedBy(ids: Ids, { path, parameters, body }: Operation): Named {
  const names = new Set([
    ...parameters.map(({ name }) => name),
    ...Object.keys(body?.schema.properties ?? {}),
    ...Object.keys(likelyValues),
    ...Object.keys(ids),
    'agentId',
  ])
  const named: Named = {}
  for (const name of names) {
    const values = [
      ...(agentNames.test(name) || (name === 'id' && agentFolders.test(path))
        ? [{ weight: 8, arbitrary: reference('agent') }]
        : otherNames.test(name)
          ? [{ weight: 8, arbitrary: reference('other') }]
          : []),
      ...[ids[name], likelyValues[name]].flatMap((known) =>
        known === undefined ? [] : [{ weight: 8, arbitrary: fc.constantFrom(...known) }],
      ),
    ]
    if (values.length > 0) named[name] = fc.oneof(...values, { weight: 1, arbitrary: nastyText })
  }
  return named
}

/** Header values without any valid credential. Printable, since a client sends no others. */
const forgedCredential = fc.oneof(
  fc.constantFrom(
    'Bearer',
    'Bearer ',
    'Basic YTpi',
    `Bearer sk_${'0'.repeat(64)}`,
    `Bearer ak_${'f'.repeat(64)}.agt_${'0'.repeat(26)}.usr_unknown`,
    'Bearer eyJhbGciOiJub25lIn0.e30.',
    `Bearer ${'a'.repeat(8000)}`,
  ),
  fc.stringMatching(/^[\x21-\x7e]{1,60}$/).map((token) => `Bearer ${token}`),
)

function target(operation: Operation, ids: Ids): fc.Arbitrary<string> {
  const { path, parameters } = operation
  const named = namedBy(ids, operation)
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const segments = names.map((name) =>
    fc.oneof(
      {
        weight: 8,
        arbitrary: (named[name] ?? reference('other')).map((id) => encode(String(id))),
      },
      { weight: 1, arbitrary: nastyText.map(encode) },
      { weight: 1, arbitrary: fc.constantFrom('%', '%zz', '%00', '%ff', '..', '%2e%2e%2f', '*') },
    ),
  )
  const query = parameters.filter((one) => one.in === 'query')
  const pairs = query.map(({ name, schema, required }) => {
    const value = fc
      .oneof(
        { weight: 8, arbitrary: named[name] ?? fitting(schema) },
        { weight: 1, arbitrary: nastyText },
      )
      .map((one) => `${name}=${encode(String(one))}`)
    const twice = fc.tuple(value, value).map((both) => both.join('&'))
    return fc.oneof(
      { weight: required ? 12 : 4, arbitrary: value },
      { weight: 1, arbitrary: twice },
      { weight: required ? 1 : 8, arbitrary: fc.constant(required ? `${name}=` : '') },
    )
  })
  return fc.tuple(fc.tuple(...segments), fc.tuple(...pairs)).map(([filled, asked]) => {
    const whole = names.reduce(
      (left, name, i) => left.replace(`{${name}}`, () => filled[i] ?? ''),
      path,
    )
    const search = asked.filter(Boolean).join('&')
    return search === '' ? whole : `${whole}?${search}`
  })
}

function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).slice(0, 3000)
}
