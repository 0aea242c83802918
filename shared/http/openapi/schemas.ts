import * as z from 'zod'

/** The names that a document gives to schemas: what requests bring has other names than what answers carry. */
export interface Models {
  requests: Readonly<Record<string, z.ZodType>>
  answers: Readonly<Record<string, z.ZodType>>
}

/** Names schemas beside what they say of themselves, which is in zod's own registry. */
class Names extends z.core.$ZodRegistry<{ id?: string | undefined }> {
  override get(schema: z.core.$ZodType): ReturnType<z.core.$ZodRegistry['get']> {
    const id = this._map.get(schema as never)?.id
    const said = z.globalRegistry.get(schema)
    return (id === undefined ? said : { ...said, id }) as never
  }
}

function named(models: Models[keyof Models]): Names {
  const names = new Names()
  for (const [id, schema] of Object.entries(models)) names.add(schema, { id })
  return names
}

type JsonSchema = Record<string, unknown>

/** Writes schemas as JSON Schema; those that have a name become references to `components`. */
export class Schemas {
  readonly components: Record<string, object> = {}
  readonly #names: Record<'input' | 'output', Names>

  constructor({ requests, answers }: Models) {
    this.#names = { input: named(requests), output: named(answers) }
  }

  write(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const metadata = this.#names[io]
    const written = z.toJSONSchema(schema, { io, metadata, unrepresentable: 'any' })
    const { $schema: _, $defs = {}, ...root } = lifted(written) as JsonSchema & { $defs?: object }
    for (const [name, one] of Object.entries($defs)) this.#add(name, one as JsonSchema)
    const { id: name } = (metadata.get(schema) ?? {}) as { id?: string }
    if (name === undefined) return root
    if (root.$ref === undefined) this.#add(name, root)
    return { $ref: `#/components/schemas/${name}` }
  }

  #add(name: string, schema: JsonSchema): void {
    const known = this.components[name]
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`${name} names two schemas`)
    this.components[name] = schema
  }
}

/** With its references pointing to where the document keeps what they mean. */
function lifted(schema: object): object {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/'),
  ) as object
}
