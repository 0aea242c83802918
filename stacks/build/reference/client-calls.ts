import { isDeepStrictEqual } from 'node:util'
import { Platform } from '../../../clients/typescript/index.ts'
import { namesOf } from '../../../clients/typescript/resources/method-names.ts'
import { Resource } from '../../../clients/typescript/resources/resource.ts'
import { addressOf, type Example } from './operation.ts'
import { type RecordingPlatform, recordingPlatform } from './recording-platform.ts'

interface Method {
  /** A dotted name such as `agents.create`. */
  name: string
  call(...args: unknown[]): unknown
}

/**
 * Returns the client call for each example, by operation. Calls every method with possible arguments and compares the
 * requests with the examples. An operation that no method sends this way is sent by `request`.
 */
export async function clientCalls(examples: readonly Example[]): Promise<Map<string, string>> {
  const played = recordingPlatform(examples, { refuses: true })
  const platform = new Platform({ baseUrl: 'http://localhost', maxRetries: 0, fetch: played.fetch })
  const methods = new Map<string, Method[]>()
  for (const method of methodsOf(platform)) {
    const [request] = await watched(played, () => method.call('x', 'x', 'x'))
    if (request === undefined) continue
    methods.set(request.operation, [...(methods.get(request.operation) ?? []), method])
  }
  const calls = new Map<string, string>()
  for (const example of examples)
    calls.set(
      example.operation,
      (await callOf(played, example, methods.get(example.operation) ?? [])) ?? anyCallOf(example),
    )
  return calls
}

/** Returns the methods of a resource and its nested resources in source order. */
function methodsOf(resource: Resource, prefix = '', seen = new Set<Resource>()): Method[] {
  seen.add(resource)
  const own = namesOf(resource)
    .filter((name) => !(prefix === '' && name === 'request'))
    .flatMap((name): Method[] => {
      const method: unknown = Reflect.get(resource, name)
      if (typeof method !== 'function') return []
      return [{ name: prefix + name, call: (...args) => method.apply(resource, args) as unknown }]
    })
  const parts = Object.entries(resource).filter(
    (part): part is [string, Resource] => part[1] instanceof Resource && !seen.has(part[1]),
  )
  return [...own, ...parts.flatMap(([name, part]) => methodsOf(part, `${prefix}${name}.`, seen))]
}

/** Returns the requests of a call. A stream sends its request on the first read. */
async function watched(played: RecordingPlatform, call: () => unknown) {
  played.taken()
  try {
    const answer = call()
    await (isStream(answer) ? answer[Symbol.asyncIterator]().next() : answer)
  } catch {
    // The arguments may not fit the request or the response. Only the request matters here.
  }
  return played.taken()
}

function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return !(answer instanceof Promise) && Symbol.asyncIterator in Object(answer)
}

/** Returns the first method and arguments that send the example's request. */
async function callOf(
  played: RecordingPlatform,
  example: Example,
  methods: readonly Method[],
): Promise<string | undefined> {
  const address = addressOf(example)
  for (const { name, call } of methods)
    for (const args of argumentsFor(example)) {
      let streams = false
      const requests = await watched(played, () => {
        const answer = call(...args)
        streams = isStream(answer)
        return answer
      })
      const [first, ...others] = requests
      const isIt =
        first !== undefined &&
        others.length === 0 &&
        first.operation === example.operation &&
        first.address === address &&
        isDeepStrictEqual(withoutStream(first.body), withoutStream(example.body))
      if (!isIt) continue
      const written = `platform.${name}(${args.map((each) => literal(each)).join(', ')})`
      return streams
        ? `for await (const event of ${written}) console.log(event)`
        : `const answer = await ${written}`
    }
  return undefined
}

/** Removes `stream`, which the client sets itself. */
function withoutStream(body: unknown): unknown {
  if (body === undefined || body === null || typeof body !== 'object') return body
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'stream'))
}

/** Returns possible arguments of a method: path parameters, then body and query, as a whole or by field. */
function argumentsFor({ params, query, body }: Example): unknown[][] {
  const bodies = body === undefined ? [] : [body]
  const queries = Object.keys(query).length === 0 ? [] : [query]
  const fields = (objects: unknown[]) =>
    objects.flatMap((one) => Object.values(Object(one) as object))
  return [
    [...params, ...bodies, ...queries],
    [...params, ...queries, ...bodies],
    [...params, ...fields(bodies), ...fields(queries)],
    [...params, ...fields(queries), ...bodies],
    [...params, ...fields(bodies).toReversed()],
  ]
}

function anyCallOf({ operation, path, params, query, body, type }: Example): string {
  const names = path.match(/\w+(?=\})/g) ?? []
  const input = {
    ...(names.length > 0 && {
      params: Object.fromEntries(names.map((name, i) => [name, params[i]])),
    }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(body !== undefined && { body }),
    ...(type !== undefined && type !== 'application/json' && { type }),
  }
  const argument = Object.keys(input).length === 0 ? '' : `, ${literal(input)}`
  return `const answer = await platform.request('${operation}'${argument})`
}

/** The maximum width of a value on one line. */
const widest = 56

/** Returns a value as TypeScript source. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return text(value)
  if (value === null || typeof value !== 'object') return String(value)
  const inner = `${indent}  `
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }']
  const parts = Array.isArray(value)
    ? value.map((one) => literal(one, inner))
    : Object.entries(value).map(([name, one]) => `${key(name)}: ${literal(one, inner)}`)
  if (parts.length === 0) return `${open}${close}`.replaceAll(' ', '')
  const short = `${open}${parts.join(', ')}${close}`
  if (short.length <= widest && !short.includes('\n')) return short
  return `${open.trim()}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close.trim()}`
}

function text(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name)
}
