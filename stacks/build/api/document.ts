/** As much of a JSON Schema as a change of it can break a client by. */
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
  responses: Record<string, { content: Record<string, Content> }>
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** A document with a line a path and a line a schema, so that a change of it reads well. */
export function writeDocument({ paths, components }: ApiDocument): string {
  const lines = (record: object) =>
    Object.entries(record)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(',\n')
  return `{"paths": {\n${lines(paths)}\n},\n"components": {"schemas": {\n${lines(components.schemas)}\n}}}\n`
}
