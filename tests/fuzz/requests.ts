import fc from 'fast-check'
import { broken, brokenText, nastyText } from './breaking.ts'
import type { Operation } from './operations.ts'
import { fitting, type Named } from './schema.ts'

/** The caller of a request: signed out, with an invalid credential, or the actor. */
type As = 'anonymous' | 'stranger' | 'actor'

export interface GeneratedRequest {
  operation: Operation
  /** The path with its parameters filled in, and the query. */
  target: string
  as: As
  /** The chosen credential of those that the operation accepts. */
  credential: Operation['credentials'][number] | undefined
  /** The forged credential of a stranger. */
  forged: string
  contentType: string | undefined
  body: string | undefined
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
      target: target(operation, ids),
      as: fc.oneof(
        { weight: 1, arbitrary: fc.constant<As>('anonymous') },
        { weight: 1, arbitrary: fc.constant<As>('stranger') },
        { weight: 3, arbitrary: fc.constant<As>('actor') },
      ),
      credential:
        credentials.length === 0 ? fc.constant(undefined) : fc.constantFrom(...credentials),
      forged: forgedCredential,
      content: content(body, namedBy(ids)),
    })
    .map(({ content: sent, ...rest }) => Object.assign(rest, sent, { operation }))
}

function namedBy(ids: Ids): Named {
  return Object.fromEntries(
    Object.entries(ids).map(([name, known]) => [
      name,
      fc.oneof(fc.constantFrom(...known), nastyText),
    ]),
  )
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

function target({ path, parameters }: Operation, ids: Ids): fc.Arbitrary<string> {
  const named = namedBy(ids)
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const segments = names.map((name) =>
    fc.oneof(
      ...(named[name] === undefined ? [] : [named[name].map((id) => encode(String(id)))]),
      nastyText.map(encode),
      fc.constantFrom('%', '%zz', '%00', '%ff', '..', '%2e%2e%2f', '*'),
    ),
  )
  const query = parameters.filter((one) => one.in === 'query')
  const pairs = query.map(({ name, schema, required }) => {
    const value = fc
      .oneof(named[name] ?? fitting(schema), nastyText)
      .map((one) => `${name}=${encode(String(one))}`)
    const twice = fc.tuple(value, value).map((both) => both.join('&'))
    return fc.oneof(value, twice, fc.constant(required ? `${name}=` : ''))
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
  return encodeURIComponent(value.toWellFormed().slice(0, 2000))
}

function content(body: Operation['body'], named: Named) {
  if (body === undefined)
    return fc.constant<Pick<GeneratedRequest, 'contentType' | 'body'>>({
      contentType: undefined,
      body: undefined,
    })
  const right = fitting(body.schema, named)
  const isJson = body.contentType === 'application/json'
  const written = (value: unknown) =>
    typeof value === 'string' && !isJson ? value : (JSON.stringify(value) ?? '')
  return fc.record({
    contentType: fc.oneof(
      { weight: 12, arbitrary: fc.constant<string | undefined>(body.contentType) },
      fc.constantFrom(
        'application/json; charset=utf-8',
        'text/plain',
        'multipart/form-data',
        undefined,
      ),
    ),
    body: fc.oneof(
      { weight: 4, arbitrary: right.map(written) },
      { weight: 4, arbitrary: broken(right).map(written) },
      { weight: 2, arbitrary: broken(broken(right)).map(written) },
      { weight: 1, arbitrary: brokenText },
    ),
  })
}
