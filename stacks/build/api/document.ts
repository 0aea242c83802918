/** The keywords of a JSON Schema whose change can break a client. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: Schema
}

export interface Content {
  schema: Schema
  'x-events'?: Record<string, { schema: Schema }>
}

export interface Operation {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, Content> }
  /** Redirects have no content. */
  responses: Record<string, { content?: Record<string, Content> }>
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; securitySchemes?: object }
}

/** Serializes a document with one line per path and schema, so that diffs are easy to review. */
export function writeDocument({ paths, components, ...head }: ApiDocument): string {
  const { schemas, ...others } = components
  const fields = (of: object) =>
    Object.entries(of).map(
      ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
    )
  return [
    `{${fields(head).join('')}"paths": {\n${linesOf(paths)}\n},\n`,
    `"components": {${fields(others).join('')}"schemas": {\n${linesOf(schemas)}\n}}}\n`,
  ].join('')
}

function linesOf(record: object): string {
  return Object.entries(record)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(',\n')
}
