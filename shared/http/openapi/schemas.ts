import * as z from 'zod'

type JsonSchema = Record<string, unknown>

/**
 * Writes schemas as JSON Schema. Those that are declared with a name, by zod's `.meta({ id: 'Agent' })`, become
 * references to `components`; one name means one schema in a document, and may mean another in another surface's.
 */
export class Schemas {
  readonly components: Record<string, object> = {}

  write(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const written = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ jsonSchema: { pattern } }) => {
        if (pattern !== undefined) checkPattern(pattern)
      },
    })
    const { $schema: _, $defs = {}, ...root } = lifted(written) as JsonSchema & { $defs?: object }
    for (const [name, one] of Object.entries($defs)) this.#add(name, one as JsonSchema)
    const name = z.globalRegistry.get(schema)?.id
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

/**
 * Programs compile patterns with or without the flag `u` of ECMA-262, and both must mean the same.
 * @throws SyntaxError for one that does not compile, Error for an escape that only `u` knows
 */
function checkPattern(pattern: string): void {
  const forms = ['', 'u'].map((flags) => new RegExp(pattern, flags).source)
  if (forms.some((form) => /\\(?:u\{|p\{|k<)/i.test(form)))
    throw new Error(`The pattern ${pattern} means something else without the flag u`)
}

/** With its references pointing to where the document keeps what they mean. */
function lifted(schema: object): object {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/'),
  ) as object
}
