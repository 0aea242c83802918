import type { ApiDocument, Content, Operation, Parameter, Schema } from '../api/document.ts'
import { commentOf, keyOf, typeOf } from './type-of.ts'

const json = 'application/json'

/** The part of an operation that only the client needs. */
type Described = Operation & {
  summary?: string
  tags?: string[]
  responses: Record<string, { 'x-codes'?: string[] }>
}

interface Entry {
  method: string
  path: string
  operation: Described
}

const heading = '/** Written by `npm run api` from the routes of the web surface. */\n'

/**
 * Returns the generated files of the client by name: the types of all requests and responses, and the operations with the
 * metadata for requests.
 */
export function writeClient(
  document: ApiDocument,
): Record<'types.ts' | 'values.ts' | 'operations.ts', string> {
  const entries = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): Entry => ({ method, path, operation })),
    )
    .sort((one, other) => (one.operation.operationId < other.operation.operationId ? -1 : 1))
  return {
    'types.ts': indented(typesOf(document, entries)),
    'values.ts': valuesOf(document),
    'operations.ts': indented(operationsOf(entries)),
  }
}

function typesOf({ components }: ApiDocument, entries: readonly Entry[]): string {
  const models = Object.entries(components.schemas)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => modelOf(name, schema))
  const codes = entries.flatMap(({ operation }) =>
    Object.values(operation.responses).flatMap((answer) => answer['x-codes'] ?? []),
  )
  const known = [...new Set(codes)].sort().map((code) => `\n  | ${JSON.stringify(code)}`)
  const operations = entries.map(
    ({ method, path, operation }) =>
      `${commentOf(operation.summary)}'${method.toUpperCase()} ${path}': ${inputAndAnswer(path, operation)}`,
  )
  return [
    heading,
    ...models,
    `${commentOf('The named codes of refusals and failures')}export type ErrorCode =${known.join('')}\n`,
    `${commentOf('What each operation takes and answers')}export interface Operations {\n${operations.join('\n')}\n}\n`,
  ].join('\n')
}

function modelOf(name: string, schema: Schema): string {
  const type = typeOf(schema)
  const isInterface = type.startsWith('{') && schema.type === 'object'
  return isInterface ? `export interface ${name} ${type}\n` : `export type ${name} = ${type}\n`
}

/** Returns the values of each named enumeration, for programs that offer them. */
function valuesOf({ components }: ApiDocument): string {
  const named = Object.entries(components.schemas)
    .filter(([, schema]) => schema.enum !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  const names = named.map(([name]) => name).join(', ')
  const lists = named.map(([name, schema]) => {
    const values = (schema.enum ?? []).map((value) => `  ${JSON.stringify(value)},\n`).join('')
    return `export const ${name.charAt(0).toLowerCase()}${name.slice(1)}s = [\n${values}] as const satisfies ${name}[]\n`
  })
  return [heading, `import type { ${names} } from './types.ts'\n`, ...lists].join('\n')
}

function inputAndAnswer(
  path: string,
  { parameters = [], requestBody, responses }: Described,
): string {
  const success = Object.entries(responses).find(([status]) => Number(status) < 400)
  const [status, { content = {} }] = success ?? ['200', {}]
  const [type = json, body] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const events = Object.values(content).find((one) => one['x-events'] !== undefined)?.['x-events']
  const parts = [
    ...pathOf(path),
    ...parametersOf('params', 'path', parameters),
    ...parametersOf('query', 'query', parameters),
    ...(body === undefined
      ? []
      : [
          requestBody?.required === true
            ? `body: ${bodyOf(body.schema)}`
            : `body?: ${bodyOf(body.schema)} | undefined`,
        ]),
    ...(type === json ? [] : [`type: ${JSON.stringify(type)}`]),
    ...(isIdempotent(parameters) ? ['idempotent: true'] : []),
    `answer: ${answerOf(Number(status), content)}`,
    ...(events === undefined
      ? []
      : [
          `events: {\n${Object.entries(events)
            .map(([name, { schema }]) => `${keyOf(name)}: ${typeOf(schema)}`)
            .join('\n')}\n}`,
        ]),
  ]
  return `{\n${parts.join('\n')}\n}`
}

/** In the document, a body that is not JSON is a string. Callers may pass it in other forms. */
function bodyOf(schema: Schema): string {
  return schema.type === 'string'
    ? 'string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams'
    : typeOf(schema)
}

function answerOf(status: number, content: Record<string, Content>): string {
  // For a redirect, the client returns the target.
  if (status >= 300) return 'string'
  const lines = content['application/x-ndjson']
  if (lines !== undefined) return `${typeOf(lines.schema)}[]`
  const value = content[json]
  if (value !== undefined) return typeOf(value.schema)
  return Object.keys(content).some((type) => type.startsWith('text/')) ? 'string' : 'ArrayBuffer'
}

/** Returns the path parameters in order as named tuple elements, so that editors show the names of a method's parameters. */
function pathOf(path: string): string[] {
  const names = path.match(/\w+(?=\})/g) ?? []
  return names.length === 0 ? [] : [`path: [${names.map((name) => `${name}: string`).join(', ')}]`]
}

function parametersOf(name: string, place: string, parameters: readonly Parameter[]): string[] {
  const own = parameters.filter((one) => one.in === place)
  if (own.length === 0) return []
  const fields = own.map((one) => {
    // In a URL everything is text, so numbers and booleans are accepted too.
    const type = one.schema.type === 'string' && !('enum' in one.schema) ? text : typeOf(one.schema)
    return `${keyOf(one.name)}${one.required === true ? `: ${type}` : `?: ${type} | undefined`}`
  })
  const optional = own.every(({ required }) => required !== true)
  return [
    `${name}${optional ? '?' : ''}: {\n${fields.join('\n')}\n}${optional ? ' | undefined' : ''}`,
  ]
}

const text = 'string | number | boolean'

function isIdempotent(parameters: readonly Parameter[]): boolean {
  return parameters.some(({ name }) => name === 'Idempotency-Key')
}

function operationsOf(entries: readonly Entry[]): string {
  const lines = entries.map(({ method, path, operation }) => {
    const { operationId, parameters = [], responses, tags = [] } = operation
    const contents = Object.values(responses).flatMap(({ content = {} }) => Object.keys(content))
    const entry = {
      tag: tags[0],
      idempotent: isIdempotent(parameters),
      streams: contents.includes('text/event-stream'),
    }
    return `${keyOf(operationId)}: { operation: '${method.toUpperCase()} ${path}', ${JSON.stringify(entry).slice(1, -1)} },`
  })
  return [
    heading,
    "import type { OperationEntry } from '../core/request.ts'\n",
    `${commentOf('Every operation by its name')}export const operations: Readonly<Record<string, OperationEntry>> = {\n${lines.join('\n')}\n}\n`,
  ].join('\n')
}

/** Indents each line by the number of open braces. */
function indented(code: string): string {
  let depth = 0
  return code
    .split('\n')
    .map((line) => {
      if (line.startsWith('}')) depth -= 1
      const whole = line === '' ? '' : `${'  '.repeat(depth)}${line}`
      if (line.endsWith('{')) depth += 1
      return whole
    })
    .join('\n')
}
