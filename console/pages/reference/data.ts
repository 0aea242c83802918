/** The data that the build writes into the page: stacks/build/reference/data.ts. */
interface ReferenceData {
  surface: 'web' | 'backend' | 'summarizer'
  groups: string[]
  operations: Operation[]
  schemas: Record<string, Schema>
  /** Descriptions of the authentication schemes. */
  schemes: Record<string, string>
  /** Descriptions of the error codes. */
  codes: Record<string, string>
}

export interface Operation {
  id: string
  method: string
  path: string
  summary: string
  /** Sentences that follow the summary; can be empty. */
  details: string
  group: string
  /** Any one of them suffices. Empty for a public operation. */
  security: { scheme: string; scopes: string[] }[]
  parameters: Parameter[]
  body?: { required: boolean; content: Content }
  answers: { status: string; content: Content }[]
  refusals: { status: string; codes: string[] }[]
  curl: string
  command?: string
  call?: string
  /** The initial text of the form's body. */
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

export const reference = JSON.parse(
  document.getElementById('data')?.textContent ?? '',
) as ReferenceData

const byId = new Map(reference.operations.map((operation) => [operation.id, operation]))

/** @returns undefined if the surface has no operation with this id */
export function operationOf(id: string): Operation | undefined {
  return byId.get(id)
}

/** Returns the name of the referenced schema. */
export function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.slice($ref.lastIndexOf('/') + 1)
}

/** Resolves a reference to a schema. Returns other schemas unchanged. */
export function resolved(schema: Schema): Schema {
  const name = nameOf(schema)
  return name === undefined ? schema : (reference.schemas[name] ?? {})
}

/** Returns the operations whose method, path, name, summary and group contain all words of the text. */
export function search(text: string): Operation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return reference.operations.filter(({ method, path, id, summary, group }) => {
    const haystack = `${method} ${path} ${id} ${summary} ${group}`.toLowerCase()
    return words.every((word) => haystack.includes(word))
  })
}

/** Returns the operations that use a schema in a request or response. */
export function usersOf(schema: string): Operation[] {
  const pointer = `"#/components/schemas/${schema}"`
  return reference.operations.filter((operation) => JSON.stringify(operation).includes(pointer))
}
