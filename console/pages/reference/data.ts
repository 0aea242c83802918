/** What the build writes into the page: stacks/build/reference/data.ts. */
interface ReferenceData {
  surface: 'web' | 'backend' | 'summarizer'
  groups: string[]
  operations: Operation[]
  schemas: Record<string, Schema>
  /** Ways of authentication, described. */
  schemes: Record<string, string>
  /** Codes of errors, described. */
  codes: Record<string, string>
}

export interface Operation {
  id: string
  method: string
  path: string
  summary: string
  group: string
  /** Any one of them opens it; none means that it is open to everyone. */
  security: { scheme: string; scopes: string[] }[]
  parameters: Parameter[]
  body?: { required: boolean; content: Content }
  answers: { status: string; content: Content }[]
  refusals: { status: string; codes: string[] }[]
  curl: string
  command?: string
  call?: string
  /** What a form for the body begins with. */
  sample?: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
}

export type Content = Record<
  string,
  { schema: Schema; 'x-events'?: Record<string, { schema: Schema }> }
>

export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema | false
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  format?: string
  pattern?: string
  default?: unknown
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

/** All that the page shows. */
export const reference = JSON.parse(
  document.getElementById('data')?.textContent ?? '',
) as ReferenceData

const byId = new Map(reference.operations.map((operation) => [operation.id, operation]))

/** The operation of an id; undefined where the surface has none. */
export function operationOf(id: string): Operation | undefined {
  return byId.get(id)
}

/** The name of the schema that another refers to. */
export function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.slice($ref.lastIndexOf('/') + 1)
}

/** A schema itself, where it only refers to one. */
export function resolved(schema: Schema): Schema {
  const name = nameOf(schema)
  return name === undefined ? schema : (reference.schemas[name] ?? {})
}

/** Operations that have all words of a text in their method, path, name, summary or group. */
export function search(text: string): Operation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return reference.operations.filter(({ method, path, id, summary, group }) => {
    const said = `${method} ${path} ${id} ${summary} ${group}`.toLowerCase()
    return words.every((word) => said.includes(word))
  })
}

/** The operations that take or answer a schema. */
export function usersOf(schema: string): Operation[] {
  const said = `"#/components/schemas/${schema}"`
  return reference.operations.filter((operation) => JSON.stringify(operation).includes(said))
}
